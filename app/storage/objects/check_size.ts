import { ObjectDamaged } from './errors.js'

/**
 * Passes on an object of an expected size. Throws before an excess byte and at an early end, so that a response
 * with a length never ends normally with another.
 */
export async function* checkSize(
  size: number,
  source: AsyncIterable<Uint8Array>
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0
  for await (const chunk of source) {
    count += chunk.byteLength
    if (count > size) {
      throw new ObjectDamaged(size, 'more')
    }
    yield chunk
  }
  if (count < size) {
    throw new ObjectDamaged(size, `${count}`)
  }
}

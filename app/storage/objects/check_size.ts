import { ObjectDamaged } from './errors.js'

/**
 * Passes on the bytes of an object that must have so many; fails before one too many, and instead of ending early. What was
 * announced with a length must never end in good order with another.
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

/** All bytes of a source; throws the error of `tooLarge` as soon as there are more than `maxBytes`. */
export async function readBounded(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    length += chunk.byteLength
    if (length > maxBytes) {
      throw tooLarge()
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

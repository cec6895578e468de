/** Checks bytes that pass: throws at a chunk, or at the end. */
export interface ByteCheck {
  update(chunk: Uint8Array): void
  end(): void
}

/** Passes bytes on and withholds the last chunk until the check accepts all, so that no reader gets wrong content in full. */
export async function* withholdLast(
  source: AsyncIterable<Uint8Array>,
  check: ByteCheck
): AsyncGenerator<Uint8Array, void, undefined> {
  let last: Uint8Array | undefined
  for await (const chunk of source) {
    check.update(chunk)
    if (last) {
      yield last
    }
    last = chunk
  }
  check.end()
  if (last) {
    yield last
  }
}

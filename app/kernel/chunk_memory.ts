const MIN_RELEASE_BYTES = 16 * 1024

/** The memory of chunks that nothing holds but the stream they pass through. */
const releasable = new WeakSet<ArrayBufferLike>()

/**
 * Says that a chunk belongs to the stream it passes through alone, so that the last consumer may give its memory back by
 * `spend`. Left to the collector, chunks make it look through the whole heap for every 64 MiB that pass.
 */
export function markReleasable<T extends Uint8Array>(chunk: T): T {
  if (chunk.byteLength >= MIN_RELEASE_BYTES && isWhole(chunk)) {
    releasable.add(chunk.buffer)
  }
  return chunk
}

/** Gives back the memory of a chunk that was passed on and is not read any more: it is empty then. Any other chunk stays. */
export function releaseChunk(chunk: Uint8Array): void {
  if (isWhole(chunk)) {
    releaseChunks([chunk])
  }
}

/** `passOn` for pieces of one buffer, of which there are no others. */
export function markAllReleasable(chunks: readonly Uint8Array[]): void {
  const [first] = chunks
  if (first && first.buffer.byteLength >= MIN_RELEASE_BYTES) {
    releasable.add(first.buffer)
  }
}

/** `spend` for pieces that were passed on together, none of which is read any more. */
export function releaseChunks(chunks: Iterable<Uint8Array>): void {
  for (const { buffer } of chunks) {
    if (releasable.delete(buffer) && buffer instanceof ArrayBuffer) {
      buffer.transfer(0)
    }
  }
}

function isWhole({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength === buffer.byteLength
}

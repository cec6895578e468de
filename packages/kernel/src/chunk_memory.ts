const MIN_RELEASE_BYTES = 16 * 1024

/** Buffers that only their stream references. */
const releasable = new WeakSet<ArrayBufferLike>()

/**
 * Marks a chunk as referenced by its stream only, so that the last consumer may free its memory with `releaseChunk`.
 * Left to the garbage collector, chunks cause a full heap scan for every 64 MiB that pass.
 */
export function markReleasable<T extends Uint8Array>(chunk: T): T {
  if (chunk.byteLength >= MIN_RELEASE_BYTES && isWhole(chunk)) {
    releasable.add(chunk.buffer)
  }
  return chunk
}

/** Frees the memory of a chunk that was marked and is no longer read. Any other chunk stays intact. */
export function releaseChunk(chunk: Uint8Array): void {
  if (isWhole(chunk)) {
    releaseChunks([chunk])
  }
}

/** Like `markReleasable`, for chunks that together are the only views of one buffer. */
export function markAllReleasable(chunks: readonly Uint8Array[]): void {
  const [first] = chunks
  if (first && first.buffer.byteLength >= MIN_RELEASE_BYTES) {
    releasable.add(first.buffer)
  }
}

/** Like `releaseChunk`, for chunks that were marked together. */
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

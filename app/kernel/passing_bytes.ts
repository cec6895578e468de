const WORTH_IT_BYTES = 16 * 1024

/** The memory of chunks that nothing holds but the stream they pass through. */
const passing = new WeakSet<ArrayBufferLike>()

/**
 * Says that a chunk belongs to the stream it passes through alone, so that the last consumer may give its memory back by
 * `spend`. Left to the collector, chunks make it look through the whole heap for every 64 MiB that pass.
 */
export function passOn<T extends Uint8Array>(chunk: T): T {
  if (chunk.byteLength >= WORTH_IT_BYTES && isWhole(chunk)) {
    passing.add(chunk.buffer)
  }
  return chunk
}

/** Gives back the memory of a chunk that was passed on and is not read any more: it is empty then. Any other chunk stays. */
export function spend(chunk: Uint8Array): void {
  const { buffer } = chunk
  if (isWhole(chunk) && passing.delete(buffer) && buffer instanceof ArrayBuffer) {
    buffer.transfer(0)
  }
}

function isWhole({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength === buffer.byteLength
}

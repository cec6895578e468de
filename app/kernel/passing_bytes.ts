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
  if (isWhole(chunk)) {
    spendTogether([chunk])
  }
}

/** `passOn` for pieces of one buffer, of which there are no others. */
export function passOnTogether(pieces: readonly Uint8Array[]): void {
  const [first] = pieces
  if (first && first.buffer.byteLength >= WORTH_IT_BYTES) {
    passing.add(first.buffer)
  }
}

/** `spend` for pieces that were passed on together, none of which is read any more. */
export function spendTogether(pieces: Iterable<Uint8Array>): void {
  for (const { buffer } of pieces) {
    if (passing.delete(buffer) && buffer instanceof ArrayBuffer) {
      buffer.transfer(0)
    }
  }
}

function isWhole({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength === buffer.byteLength
}

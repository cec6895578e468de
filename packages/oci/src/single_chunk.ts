/** Adapts bytes in memory to consumers of a stream. */
export async function* singleChunk<Bytes extends Uint8Array>(
  bytes: Bytes
): AsyncGenerator<Bytes, void, undefined> {
  yield bytes
}

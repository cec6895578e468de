/** What is there already, for those who read piece by piece. */
export async function* singleChunk<Bytes extends Uint8Array>(
  bytes: Bytes
): AsyncGenerator<Bytes, void, undefined> {
  yield bytes
}

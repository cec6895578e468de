/** Runs `sweepBatch` until a batch is not full or the signal aborts; returns the total. */
export async function sweepInBatches(
  size: number,
  signal: AbortSignal,
  sweepBatch: () => Promise<number>
): Promise<number> {
  let swept = 0
  let batch = size
  while (batch === size && !signal.aborted) {
    batch = await sweepBatch()
    swept += batch
  }
  return swept
}

/**
 * Passes on a source until the signal aborts, even if the source is pending: its client may send nothing any more.
 */
export async function* interruptible<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined
): AsyncGenerator<T, void, undefined> {
  if (!signal) {
    yield* source
    return
  }
  const iterator = source[Symbol.asyncIterator]()
  let rejectNext = (_reason: unknown) => {}
  const onAbort = () => rejectNext(signal.reason)
  signal.addEventListener('abort', onAbort)
  let isEnded = false
  try {
    for (;;) {
      const { done, value } = await new Promise<IteratorResult<T>>((resolve, reject) => {
        rejectNext = reject
        signal.throwIfAborted()
        iterator.next().then(resolve, reject)
      })
      if (done) {
        isEnded = true
        return
      }
      yield value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: the source may never settle.
    if (!isEnded) {
      void iterator.return?.().catch(() => {})
    }
  }
}

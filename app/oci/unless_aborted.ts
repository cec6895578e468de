/** What a promise comes to, or the reason of the signal: others may let us wait for ever. */
export async function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) {
    return promise
  }
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    return await Promise.race([promise, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
    promise.catch(() => {})
  }
}

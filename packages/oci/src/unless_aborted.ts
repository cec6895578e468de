/** Awaits a promise that may never settle, or rejects with the reason of the signal. */
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

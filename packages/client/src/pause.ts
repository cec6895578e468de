export interface Pauses {
  readonly firstMs: number
  readonly longestMs: number
}

/** The pause after a number of failures: it doubles up to the longest, and differs between clients. */
export function pauseAfter(failures: number, { firstMs, longestMs }: Pauses): number {
  const [share = 0] = crypto.getRandomValues(new Uint32Array(1))
  const pauseMs = Math.min(firstMs * 2 ** (failures - 1), longestMs)
  return pauseMs * (0.5 + share / 2 ** 33)
}

/** Resolves after the pause, or as soon as the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) {
      end()
    }
    function end(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
  })
}

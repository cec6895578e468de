import { createHook } from 'node:async_hooks'

/** Counts the timers that are set from now on and neither went off nor were cleared, those included that keep no process alive. */
export function pendingTimers(): { readonly size: number; stop(): void } {
  const pending = new Set<number>()
  const hook = createHook({
    init(id, type) {
      if (type === 'Timeout') {
        pending.add(id)
      }
    },
    destroy(id) {
      pending.delete(id)
    },
  }).enable()
  return {
    get size() {
      return pending.size
    },
    stop: () => void hook.disable(),
  }
}

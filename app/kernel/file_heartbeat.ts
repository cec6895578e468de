import { utimes } from 'node:fs/promises'

import { clock } from './clock.js'

const HEARTBEAT_MS = 3_000
const STALE_MS = 15_000

/** Touches a file again and again until the returned function is called, so that others see that somebody is still at work at it. */
export function startHeartbeat(path: string): () => void {
  const timer = setInterval(() => void touch(path), HEARTBEAT_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Whether whoever tended a file is gone: a process that was killed, wherever it ran. */
export const isHeartbeatStale = ({ mtimeMs }: { readonly mtimeMs: number }): boolean =>
  clock.now() - mtimeMs > STALE_MS

/** A file that is gone needs nobody any more. */
export async function touch(path: string, at = clock.now()): Promise<void> {
  const time = new Date(at)
  await utimes(path, time, time).catch(() => {})
}

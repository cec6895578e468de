import { utimes } from 'node:fs/promises'

import { clock } from './clock.js'

const HEARTBEAT_MS = 3_000
const STALE_MS = 15_000

/** Touches a file periodically until the returned function is called, so that others see that its owner is alive. */
export function startHeartbeat(path: string): () => void {
  const timer = setInterval(() => void touch(path), HEARTBEAT_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Whether the owner of a file stopped its heartbeat, as a killed process does. */
export const isHeartbeatStale = ({ mtimeMs }: { readonly mtimeMs: number }): boolean =>
  clock.now() - mtimeMs > STALE_MS

/** Ignores a file that was deleted. */
export async function touch(path: string, at = clock.now()): Promise<void> {
  const time = new Date(at)
  await utimes(path, time, time).catch(() => {})
}

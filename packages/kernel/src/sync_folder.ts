import { open } from 'node:fs/promises'

/** The next sync of each folder, which starts after the running one. */
const next = new Map<string, Promise<void>>()
const running = new Map<string, Promise<void>>()

/**
 * Makes the names in a folder durable. Callers that arrive during a sync share the next one, since the running one may
 * have missed their change.
 */
export function syncFolder(path: string): Promise<void> {
  let sync = next.get(path)
  if (!sync) {
    sync = syncAfter(running.get(path), path)
    next.set(path, sync)
  }
  return sync
}

async function syncAfter(previous: Promise<void> | undefined, path: string): Promise<void> {
  await previous?.catch(() => {})
  const sync = next.get(path)!
  next.delete(path)
  running.set(path, sync)
  try {
    await fsyncFolder(path)
  } finally {
    if (running.get(path) === sync) {
      running.delete(path)
    }
  }
}

async function fsyncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

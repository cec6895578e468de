import { open } from 'node:fs/promises'

/** The sync of each folder that begins when the one before it has ended. */
const next = new Map<string, Promise<void>>()
const running = new Map<string, Promise<void>>()

/**
 * Makes sure that the names in a folder survive a power cut. All who ask while one sync is under way share the next: theirs may
 * have come too late for the one that runs.
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

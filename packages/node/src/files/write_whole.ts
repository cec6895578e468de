import { randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

import { syncFolder } from '#kernel/sync_folder'

/** Writes a file that only its owner can read. After a crash it has its former content or this one, never a part. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.${randomUUID()}.draft`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
  await syncFolder(dirname(file))
}

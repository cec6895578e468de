import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

import { syncFolder } from '#kernel/sync_folder'
import { startHeartbeat } from '#kernel/file_heartbeat'
import { writeChunks } from '#kernel/write_chunks'

const BUFFER_BYTES = 1024 ** 2

/**
 * Writes to a draft and renames it when all bytes are on disk. The target name may depend on the content. Leaves
 * nothing behind if the source fails.
 */
export async function writeAtomically(
  draft: string,
  source: AsyncIterable<Uint8Array>,
  target: () => string
): Promise<void> {
  const file = await open(draft, 'wx', 0o600)
  const release = startHeartbeat(draft)
  try {
    let buffered: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of source) {
      buffered.push(chunk)
      bytes += chunk.byteLength
      if (bytes >= BUFFER_BYTES) {
        await writeChunks(file, buffered)
        buffered = []
        bytes = 0
      }
    }
    if (bytes > 0) {
      await writeChunks(file, buffered)
    }
    await file.datasync()
    await file.close()
    await rename(draft, target())
  } catch (error) {
    await file.close().catch(() => {})
    await unlink(draft).catch(() => {})
    throw error
  } finally {
    release()
  }
  await syncFolder(dirname(target()))
}

import { open, rename, unlink, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

import { spend } from '#kernel/passing_bytes'
import { syncFolder } from '#kernel/sync_folder'
import { tend } from '#kernel/tended_file'

const GATHERED_BYTES = 1024 ** 2

/**
 * Writes a file under another name, and gives it its own only when all of it is on the disk. The name may depend on what was
 * written; a source that fails leaves nothing.
 */
export async function writtenBeside(
  draft: string,
  source: AsyncIterable<Uint8Array>,
  target: () => string
): Promise<void> {
  const file = await open(draft, 'wx', 0o600)
  const leave = tend(draft)
  try {
    let gathered: Uint8Array[] = []
    let bytes = 0
    for await (const piece of source) {
      gathered.push(piece)
      bytes += piece.byteLength
      if (bytes >= GATHERED_BYTES) {
        await writeAll(file, gathered)
        gathered = []
        bytes = 0
      }
    }
    if (bytes > 0) {
      await writeAll(file, gathered)
    }
    await file.datasync()
    await file.close()
    await rename(draft, target())
  } catch (error) {
    await file.close().catch(() => {})
    await unlink(draft).catch(() => {})
    throw error
  } finally {
    leave()
  }
  await syncFolder(dirname(target()))
}

/** A disk that is nearly full takes a part, and refuses the rest. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  let { bytesWritten: written } = await file.writev(pieces)
  const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const all = written < bytes ? Buffer.concat(pieces) : undefined
  while (all && written < bytes) {
    const rest = await file.write(all, written)
    written += rest.bytesWritten
  }
  pieces.forEach(spend)
}

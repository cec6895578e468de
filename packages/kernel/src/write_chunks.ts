import type { FileHandle } from 'node:fs/promises'

import { releaseChunk } from './chunk_memory.js'

/** Appends chunks to a file and frees their memory. A nearly full disk writes a part and rejects the rest. */
export async function writeChunks(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  let { bytesWritten: written } = await file.writev(chunks)
  const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const all = written < bytes ? Buffer.concat(chunks) : undefined
  while (all && written < bytes) {
    const rest = await file.write(all, written)
    written += rest.bytesWritten
  }
  chunks.forEach(releaseChunk)
}

import { randomUUID } from 'node:crypto'

import { singleChunk } from '#oci/single_chunk'
import { writeAtomically } from '#oci/folder/write_atomically'

/** Writes a file that only its owner can read. After a crash it has its former content or this one, never a part. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}.draft`
  await writeAtomically(draft, singleChunk(Buffer.from(text)), () => file)
}

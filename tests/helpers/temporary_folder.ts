import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that a test has for itself, and that goes with it. */
export async function temporaryFolder(
  cleanup: (callback: () => Promise<void>) => void
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
  cleanup(() => rm(folder, { recursive: true, force: true }))
  return folder
}

import { mkdtemp, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Makes a folder for sockets with a short path, since that of a socket has at most 107 bytes. A link in the folder of
 * the node leads to it, so that the one of a killed process is found and removed.
 */
export async function createSocketFolder(nodeFolder: string): Promise<string> {
  const link = join(nodeFolder, 'sockets')
  const former = await readlink(link).catch(() => undefined)
  if (former !== undefined) {
    await rm(former, { recursive: true, force: true })
    await rm(link)
  }
  const folder = await mkdtemp(join(tmpdir(), 'hub-node-'))
  await symlink(folder, link)
  return folder
}

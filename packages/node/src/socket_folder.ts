import { randomBytes } from 'node:crypto'
import { mkdir, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Makes a folder for sockets with a short path, since the path of a socket has at most 107 bytes. A link in the folder
 * of the node leads to it, so that the folder of a killed process is found and removed.
 */
export async function createSocketFolder(nodeFolder: string): Promise<string> {
  const link = join(nodeFolder, 'sockets')
  const former = await readlink(link).catch(() => undefined)
  if (former !== undefined) {
    await rm(former, { recursive: true, force: true })
    await rm(link)
  }
  const folder = join(tmpdir(), `hub-node-${randomBytes(8).toString('base64url')}`)
  // The link is created first, so that a killed process leaves no folder without a link.
  await symlink(folder, link)
  await mkdir(folder, { mode: 0o700 })
  return folder
}

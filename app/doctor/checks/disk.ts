import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { resolve } from 'node:path'

import type { Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'

const MIB = 1024 ** 2
const LOW = 2_048 * MIB
const FULL = 256 * MIB

/** Checks the free space of the folders on this machine. */
export const diskCheck: Check = {
  name: 'disk',
  async run({ env, surfaces }) {
    const storesObjects = surfaces.includes('storage') && !env.S3_ENDPOINT
    const folders = [env.DATA_DIR, ...(storesObjects ? [env.STORAGE_PATH] : [])]
    const found = await Promise.all(
      [...new Set(folders)].map((folder) => checkFolder(resolve(folder)))
    )
    return found.flat()
  },
}

/** For a missing folder, its closest existing parent is checked. */
async function checkFolder(folder: string): Promise<Finding[]> {
  try {
    await access(folder, constants.W_OK)
  } catch (error) {
    const isAbsent = (error as { code?: string }).code === 'ENOENT'
    return isAbsent
      ? checkFolder(resolve(folder, '..'))
      : [finding('DISK_NOT_WRITABLE', reasonOf(error))]
  }
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const details = `${Math.floor(free / MIB)} MiB for ${folder}`
  if (free < FULL) {
    return [finding('DISK_FULL', details)]
  }
  return free < LOW ? [finding('DISK_LOW', details)] : []
}

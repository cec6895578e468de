import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'

/** Where programs are kept that come from elsewhere than Debian. */
export const PROGRAMS = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'analysis-hub',
  'programs'
)

/** A folder that is made once a machine and kept outside of the checkout. */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<unknown>
): Promise<string> {
  const folder = join(PROGRAMS, name)
  if (!(await isThere(folder))) {
    await makeBeside(folder, make)
  }
  return folder
}

/** Beside the place, and then renamed: others may make the same. */
async function makeBeside(folder: string, make: (folder: string) => Promise<unknown>) {
  await mkdir(PROGRAMS, { recursive: true })
  const beside = await mkdtemp(join(PROGRAMS, 'building-'))
  try {
    console.log(`building ${basename(folder)}`)
    await make(beside)
    await rename(beside, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') {
        throw error
      }
    })
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false
  )

import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'analysis-hub',
  'releases'
)
const BUILT = 'build/.stamp'

/** The folder of the program of a commit, installed and built once a machine and kept outside of the checkout. */
export async function formerRelease(revision: string): Promise<string> {
  const commit = await commitOf(revision)
  const folder = join(CACHE, commit)
  if (!(await isThere(join(folder, BUILT)))) {
    console.log(`building ${commit} in ${CACHE}, which takes some minutes`)
    await makeBeside(folder, commit)
  }
  return folder
}

async function commitOf(revision: string): Promise<string> {
  try {
    return (await git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`)).trim()
  } catch (cause) {
    const text = `This repository has no commit "${revision}": fetch the whole history, or set FROM to one it has`
    throw new Error(text, { cause })
  }
}

async function makeBeside(folder: string, commit: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const beside = await mkdtemp(join(CACHE, 'building-'))
  try {
    const archive = join(beside, 'sources.tar')
    await git('archive', '--output', archive, commit)
    await run('tar', ['-xf', archive, '-C', beside])
    await rm(archive)
    await run(process.execPath, ['bin/bootstrap.mjs', 'build'], { cwd: beside, maxBuffer: 2 ** 26 })
    await writeFile(join(beside, 'build', 'commit'), commit)
    await rm(folder, { recursive: true, force: true })
    await rename(beside, folder)
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT })).stdout
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false
  )

import { execFile, spawnSync } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'analysis-hub', 'go')

export const HAS_GO = spawnSync('go', ['version']).status === 0
export const GO_MISSING = 'there is no go on this machine to build it with'

interface GoProgram {
  /** The package that holds its `main`, whose last part is the name of the program. */
  readonly from: string
  readonly version: string
}

/** A program of the Go module proxy. It is built once a machine, which takes some minutes, and kept outside of the checkout. */
export async function goProgram({ from, version }: GoProgram): Promise<string> {
  const name = from.split('/').at(-1)!
  const folder = join(CACHE, `${name}@${version}`)
  const program = join(folder, name)
  if (!(await isThere(program))) {
    await build(`${from}@${version}`, folder)
  }
  return program
}

/** Beside the place, and then renamed: others may build the same. */
async function build(named: string, folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const beside = await mkdtemp(join(CACHE, 'building-'))
  try {
    console.log(`building ${named}`)
    await run('go', ['install', '-trimpath', named], { env: { ...process.env, GOBIN: beside } })
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

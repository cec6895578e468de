import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { madeOnce, PROGRAMS } from './made_once.js'

const run = promisify(execFile)

export const HAS_GO = spawnSync('go', ['version']).status === 0
export const GO_MISSING = 'there is no go on this machine to build it with'

interface GoProgram {
  /** The package that holds its `main`, whose last part is the name of the program. */
  readonly from: string
  readonly version: string
}

/** A program of the Go module proxy. Building it takes some minutes. */
export async function goProgram({ from, version }: GoProgram): Promise<string> {
  const name = from.split('/').at(-1)!
  const folder = await madeOnce(`${name}@${version}`, (GOBIN) =>
    go(['install', '-trimpath', `${from}@${version}`], { GOBIN })
  )
  return join(folder, name)
}

interface ModulePrograms {
  readonly module: string
  readonly version: string
  /** The packages of its programs, and of other modules with the versions it requires. */
  readonly programs: readonly string[]
  readonly linkerFlags: string
  /** The version of the modules that its repository contains, which `go install` does not replace by published ones. */
  readonly versionOfParts: string
}

/** Builds programs of a module that requires parts of its own repository. Resolves to their folder. This takes many minutes. */
export function goModulePrograms(wanted: ModulePrograms): Promise<string> {
  const { module, version } = wanted
  return madeOnce(`${module.split('/').at(-1)}@${version}`, async (GOBIN) => {
    const at = await mkdtemp(join(tmpdir(), 'go-build-'))
    try {
      await writeFile(join(at, 'go.mod'), await goModOf(wanted))
      const flags = ['-mod=mod', '-p', '1', '-trimpath', '-ldflags', wanted.linkerFlags]
      await go(['install', '-C', at, ...flags, ...wanted.programs], { GOBIN, CGO_ENABLED: '0' })
    } finally {
      await rm(at, { recursive: true, force: true })
    }
  })
}

/** The file of a module that requires the wanted one, and takes its parts from where they are published. */
async function goModOf({ module, version, versionOfParts }: ModulePrograms): Promise<string> {
  const { stdout } = await go(['list', '-m', '-json', `${module}@${version}`], {})
  const { GoMod, GoVersion } = JSON.parse(stdout) as { GoMod: string; GoVersion: string }
  const parts = [...(await readFile(GoMod, 'utf8')).matchAll(/^\t(\S+) => \.\//gm)]
  const replacements = parts.map(([, part]) => `replace ${part} => ${part} ${versionOfParts}`)
  return [
    'module analysis-hub/programs',
    `go ${GoVersion}`,
    `require ${module} ${version}`,
    ...replacements,
    '',
  ].join('\n')
}

/** Reads what it needs of the folder of a module, named with its version. Nothing of the module stays, since some are large. */
export async function readModule<T>(
  module: string,
  read: (folder: string) => Promise<T>
): Promise<T> {
  const modules = await mkdtemp(join(tmpdir(), 'go-modules-'))
  try {
    const { stdout } = await go(['mod', 'download', '-json', module], {
      GOMODCACHE: modules,
      GOFLAGS: '-modcacherw',
    })
    return await read((JSON.parse(stdout) as { Dir: string }).Dir)
  } finally {
    await rm(modules, { recursive: true, force: true })
  }
}

/** Runs the go of this machine, one at a time: files of tests that need the same program would build it twice. */
const go = (args: string[], env: Record<string, string>) =>
  run('flock', [join(PROGRAMS, '.lock'), 'go', ...args], { env: { ...process.env, ...env } })

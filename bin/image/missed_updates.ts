import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { Apt } from './apt.js'
import { ARCHITECTURES, type Architecture } from './architectures.js'
import { fieldOf } from './debian_packages.js'
import { ImageNotMade } from './image_not_made.js'

const run = promisify(execFile)

/** A package of Debian by its version. */
interface PackageVersion {
  readonly name: string
  readonly version: string
}

/** A package of which Debian has a newer version than an image. */
export interface MissedUpdate extends PackageVersion {
  readonly newest: string
}

/** What a bill of materials says of the packages of Debian. */
export interface DebianContents {
  readonly architecture: Architecture
  readonly packages: readonly PackageVersion[]
}

const PURL = /^pkg:deb\/debian\/(?<name>[^@]+)@(?<version>[^?]+)\?(?<qualifiers>.*)$/

/** Compares the image of a bill of materials with what Debian offers now. */
export async function findMissedUpdates(
  file: string,
  mirror: string | undefined
): Promise<{ readonly known: number; readonly missed: readonly MissedUpdate[] }> {
  const { architecture, packages } = debianContents(await readText(file))
  const folder = await mkdtemp(join(tmpdir(), 'hub-image-'))
  try {
    const apt = await Apt.update(folder, architecture, mirror)
    const offered = await apt.show(packages.map(({ name }) => name))
    return { known: packages.length, missed: await missedAmong(packages, offered) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads a bill of materials of `npm run image`. */
export function debianContents(text: string): DebianContents {
  const found = locatorsIn(text)
    .map((locator) => PURL.exec(locator)?.groups)
    .filter((groups) => groups !== undefined)
  const processor = new URLSearchParams(found[0]?.qualifiers).get('arch')
  const architecture = ARCHITECTURES.find(({ debian }) => debian === processor)
  if (!architecture) {
    throw new ImageNotMade('The file is not the bill of materials of an image')
  }
  const packages = found.map(({ name, version }) => ({
    name: decodeURIComponent(name!),
    version: decodeURIComponent(version!),
  }))
  return { architecture, packages }
}

/** The packages of which `apt-cache show` knows a newer version. */
export async function missedAmong(
  packages: readonly PackageVersion[],
  offered: string
): Promise<MissedUpdate[]> {
  const paragraphs = offered.split('\n\n')
  const newest = new Map(
    paragraphs.map((control) => [fieldOf(control, 'Package'), fieldOf(control, 'Version')])
  )
  const missed = []
  for (const { name, version } of packages) {
    const other = newest.get(name)
    if (other !== undefined && (await isNewer(other, version))) {
      missed.push({ name, version, newest: other })
    }
  }
  return missed
}

function locatorsIn(text: string): string[] {
  interface Bill {
    readonly packages: readonly { externalRefs?: readonly { referenceLocator: string }[] }[]
  }
  try {
    const { packages } = JSON.parse(text) as Bill
    return packages.flatMap(({ externalRefs = [] }) =>
      externalRefs.map(({ referenceLocator }) => referenceLocator)
    )
  } catch (error) {
    throw new ImageNotMade('The file is not a bill of materials in SPDX', { cause: error })
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw ImageNotMade.becauseOf('reading the bill of materials', error)
  }
}

/** By Debian's own order of versions, in which `1.0~rc1` is older than `1.0`. */
const isNewer = (one: string, other: string): Promise<boolean> =>
  run('dpkg', ['--compare-versions', one, 'gt', other]).then(
    () => true,
    (error: { readonly code?: unknown }) => {
      if (error.code !== 1) {
        throw ImageNotMade.becauseOf('dpkg', error)
      }
      return false
    }
  )

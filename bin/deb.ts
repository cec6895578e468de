import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { VERSION } from '#kernel/version'

import { controlFiles } from '#deb/control_files'
import { debianArchive } from '#deb/debian_archive'
import { installedFiles } from '#deb/installed_files'
import { ARCHITECTURES } from '#image/architectures'
import { currentCommit } from '#image/commit'
import { ImageNotMade } from '#image/image_not_made'
import { ProductionPackages } from '#image/production_packages'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'build/deb')
const MIB = 1024 ** 2

await main().catch((error: unknown) => {
  if (!(error instanceof ImageNotMade)) {
    throw error
  }
  console.error(error.message)
  process.exitCode = 1
})

/** Makes the Debian package of the current commit for the processor of this machine. */
async function main(): Promise<void> {
  const architecture = ARCHITECTURES.find(({ node }) => node === process.arch)!
  const commit = await currentCommit(ROOT)
  const folder = await mkdtemp(join(tmpdir(), 'hub-deb-'))
  try {
    const packages = await ProductionPackages.install(ROOT, join(folder, 'npm'), architecture)
    const data = await installedFiles(ROOT, packages, commit)
    const control = await controlFiles(join(ROOT, 'deploy/debian'), architecture, data)
    const archive = await debianArchive({ control, data }, timeOf(commit.at))
    await mkdir(FOLDER, { recursive: true })
    const file = join(FOLDER, `analysis-hub_${VERSION}_${architecture.debian}.deb`)
    await writeFile(file, archive)
    const digest = createHash('sha256').update(archive).digest('hex')
    console.log(`${file}\n  sha256:${digest}  ${(archive.length / MIB).toFixed(0)} MiB`)
    if (commit.isModified) {
      console.log('Not reproducible: files differ from the commit.')
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The time of all files. Builders of packages for others set it by SOURCE_DATE_EPOCH. */
function timeOf(commit: Date): Date {
  const seconds = process.env.SOURCE_DATE_EPOCH
  return seconds === undefined ? commit : new Date(Number(seconds) * 1000)
}

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Architecture } from '#image/architectures'
import { fileEntry, textEntry } from '#image/folder_entries'
import { VERSION } from '#kernel/version'
import { layerEntries, type LayerEntry, type LayerFile } from '#oci/tar/layer_entries'

const SCRIPTS = ['postinst', 'postrm', 'prerm']
const KIB = 1024

/** What dpkg reads of a package. */
export async function controlFiles(
  folder: string,
  { debian }: Architecture,
  data: readonly LayerEntry[]
): Promise<LayerEntry[]> {
  const template = await readFile(join(folder, 'control'), 'utf8')
  const values: Record<string, string> = {
    VERSION,
    ARCHITECTURE: debian,
    INSTALLED_SIZE: String(installedKib(data)),
  }
  const control = template.replaceAll(/@(\w+)@/g, (_, name: string) => values[name]!)
  return [
    textEntry('control', control),
    textEntry('conffiles', linesOf(configurationIn(data).map(({ path }) => `/${path}`))),
    textEntry('md5sums', linesOf(await checksums(data))),
    ...(await Promise.all(SCRIPTS.map((name) => fileEntry(join(folder, name), name)))),
  ]
}

/** As dpkg counts: every file in full KiB, anything else as one. */
const installedKib = (data: readonly LayerEntry[]): number =>
  layerEntries(data).reduce(
    (sum, entry) => sum + ('size' in entry ? Math.ceil(entry.size / KIB) : 1),
    0
  )

/** Files that an upgrade replaces only with the consent of the administrator. */
const configurationIn = (data: readonly LayerEntry[]): LayerFile[] =>
  filesIn(data).filter(({ path }) => path.startsWith('etc/'))

/** For `dpkg --verify`. One file at a time, since all together are large. */
async function checksums(data: readonly LayerEntry[]): Promise<string[]> {
  const lines = []
  for (const file of filesIn(data).filter(({ path }) => !path.startsWith('etc/'))) {
    const hash = createHash('md5')
    const opened = await file.open()
    for await (const chunk of opened instanceof Uint8Array ? [opened] : opened) {
      hash.update(chunk)
    }
    lines.push(`${hash.digest('hex')}  ${file.path}`)
  }
  return lines
}

const filesIn = (data: readonly LayerEntry[]): LayerFile[] =>
  layerEntries(data).filter((entry) => 'open' in entry)

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

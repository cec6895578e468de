import { join } from 'node:path'

import type { LayerEntry } from '#oci/tar/layer_entries'

import { revisionOf, type Commit } from './commit.js'
import { fileEntry, folderEntries, textEntry } from './folder_entries.js'

export const HOME = 'opt/analysis-hub'

/** Folders of the build that a production runs. */
const PARTS = [
  ...['app', 'bin', 'commands', 'config', 'database', 'packages', 'providers', 'resources'],
  'start',
]
const FILES = ['adonisrc.js', 'package.json']

/** Maps of sources, which are not in the image, and programs for contributors. */
const UNUSED =
  /\.map$|^bin\/(image|deb|reference|generate_docs|finding_table|included_files|lifecycle_diagrams|line_links|verify_events)\b/

/** The built program. It names the commit of the image, since an older build of the same sources may be used. */
export async function programEntries(root: string, commit: Commit): Promise<LayerEntry[]> {
  const build = join(root, 'build')
  const parts = await Promise.all(
    PARTS.map((part) =>
      folderEntries(
        join(build, part),
        `${HOME}/build/${part}`,
        (path) => !UNUSED.test(`${part}/${path}`)
      )
    )
  )
  const files = FILES.map((file) => fileEntry(join(build, file), `${HOME}/build/${file}`))
  const license = fileEntry(join(root, 'LICENSE'), `${HOME}/LICENSE`)
  const revision = textEntry(`${HOME}/build/commit`, revisionOf(commit))
  return [...parts.flat(), ...(await Promise.all([...files, license])), revision]
}

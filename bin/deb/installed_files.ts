import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { revisionOf, type Commit } from '#image/commit'
import { fileEntry } from '#image/folder_entries'
import type { ProductionPackages } from '#image/production_packages'
import { HOME, programEntries } from '#image/program_layer'
import { VERSION } from '#kernel/version'
import type { LayerEntry } from '#oci/tar/layer_entries'

const DOCUMENTATION = 'usr/share/doc/analysis-hub'

/** Where files of `deploy` are installed. */
const INSTALLED = {
  'systemd/analysis-hub.service': 'usr/lib/systemd/system/analysis-hub.service',
  'systemd/analysis-hub-worker.service': 'usr/lib/systemd/system/analysis-hub-worker.service',
  'systemd/analysis-hub.sysusers': 'usr/lib/sysusers.d/analysis-hub.conf',
  'systemd/analysis-hub.tmpfiles': 'usr/lib/tmpfiles.d/analysis-hub.conf',
  'systemd/analysis-hub.env': 'etc/analysis-hub.env',
  'systemd/analysis-hub-worker.env': 'etc/analysis-hub-worker.env',
  'systemd/builds.conf': `${DOCUMENTATION}/examples/builds.conf`,
  'rabbitmq/worker-account': `${DOCUMENTATION}/examples/worker-account`,
  'nginx/analysis-hub.conf': `${DOCUMENTATION}/examples/nginx.conf`,
  'debian/hubctl': 'usr/bin/hubctl',
  'debian/analysis-hub-ace': 'usr/sbin/analysis-hub-ace',
  'debian/copyright': `${DOCUMENTATION}/copyright`,
  'debian/lintian-overrides': 'usr/share/lintian/overrides/analysis-hub',
}

/** Where the services expect files that the image has elsewhere. */
const MOVED: Readonly<Record<string, string>> = {
  'usr/local/bin/node': `${HOME}/node_modules/.bin/node`,
  'usr/local/share/doc/node/LICENSE': `${DOCUMENTATION}/LICENSE.node`,
}

/** All files of the package: the program, Node.js, production dependencies without the database, and services. */
export async function installedFiles(
  root: string,
  packages: Pick<ProductionPackages, 'node' | 'libraries'>,
  commit: Commit
): Promise<LayerEntry[]> {
  const node = await packages.node()
  const installed = Object.entries(INSTALLED).map(([file, path]) =>
    fileEntry(join(root, 'deploy', file), path)
  )
  return [
    ...(await programEntries(root, commit)),
    ...(await packages.libraries(HOME)),
    ...node.map((entry) => ({ ...entry, path: MOVED[entry.path]! })),
    ...(await Promise.all(installed)),
    compressed(`${DOCUMENTATION}/changelog.gz`, changesOf(commit)),
    compressed(`${DOCUMENTATION}/NEWS.gz`, await readFile(join(root, 'CHANGELOG.md'), 'utf8')),
  ]
}

/** The form that Debian prescribes. */
const changesOf = (commit: Commit): string => `analysis-hub (${VERSION}) stable; urgency=medium

  * Commit ${revisionOf(commit)}.

 -- Analysis Hub <analysis-hub@localhost>  ${commit.at.toUTCString().replace('GMT', '+0000')}
`

function compressed(path: string, text: string): LayerEntry {
  const bytes = gzipSync(text, { level: 9 })
  return { path, size: bytes.length, open: () => bytes }
}

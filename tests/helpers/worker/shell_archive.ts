import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { appendLayers } from '#oci/append_layers'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { layerEntries } from '#oci/tar/layer_entries'
import { writeLayer } from '#oci/write_layer'
import { filesOf, putImage } from '#tests/helpers/oci/images'

const run = promisify(execFile)

/** Writes an archive with an image that contains only a shell. */
export async function shellArchive(folder: string): Promise<string> {
  const path = join(folder, 'elsewhere')
  const store = await openImageStore({ path })
  await putImage(store, 'shell', { tag: 'latest' })
  const base = await platformImage(store, 'shell', 'latest')
  const [shell] = filesOf({ 'bin/sh': await readFile('/bin/busybox') })
  const entries = layerEntries([{ ...shell!, mode: 0o755 }])
  const layer = await writeLayer(store, 'shell', entries)
  await appendLayers(store, 'shell', base, [{ layer, createdBy: 'a shell' }], { tag: 'latest' })
  const file = join(folder, 'python.tar')
  await run('skopeo', ['copy', `oci:${path}:shell:latest`, `docker-archive:${file}:shell:latest`])
  return file
}

import type { ImageStore, StoredManifest } from '#oci/image_store'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { singleChunk } from '#oci/single_chunk'
import { layerEntries } from '#oci/tar/layer_entries'
import { addressOf } from '#oci/verified_bytes'
import { writeLayer } from '#oci/write_layer'

import { findPython, MODULES, PYTHON_HOME, pythonFiles } from './python_files.js'

export interface PythonImageOptions {
  /** The Python to copy, such as `/usr/bin/python3`. */
  readonly python: string
  readonly onBytes?: (bytes: number) => void
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Makes a master image from the Python of this machine. It needs no network. The same Python gives the same image. */
export async function writePythonImage(
  store: ImageStore,
  repository: string,
  tag: string,
  { python, onBytes }: PythonImageOptions
): Promise<StoredManifest> {
  const entries = layerEntries(await pythonFiles(await findPython(python)))
  const layer = await writeLayer(store, repository, entries, onBytes ? { onBytes } : {})
  const config = Buffer.from(JSON.stringify(configWith(layer.diffId)))
  await store.writeBlob(repository, () => singleChunk(config))
  const types = MEDIA_TYPES.oci
  const manifest = storedManifest(types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: { mediaType: types.config, ...addressOf(config) },
    layers: [{ mediaType: types.layer, digest: layer.digest, size: layer.size }],
  })
  await store.putManifest(repository, manifest, tag)
  return manifest
}

const configWith = (diffId: string) => ({
  os: 'linux',
  architecture: ARCHITECTURES[process.arch] ?? process.arch,
  config: {
    Env: [
      `PATH=/${PYTHON_HOME}/bin:/usr/bin:/bin`,
      `PYTHONHOME=/${PYTHON_HOME}`,
      `PYTHONPATH=/${MODULES}`,
      'PYTHONUNBUFFERED=1',
      'PYTHONDONTWRITEBYTECODE=1',
      'HOME=/tmp',
    ],
    Labels: { 'analysis-hub.command': `/${PYTHON_HOME}/bin/python3` },
    WorkingDir: '/opt/code',
    User: '65534',
  },
  rootfs: { type: 'layers', diff_ids: [diffId] },
})

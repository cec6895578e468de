import type { ImageStore } from '#oci/image_store'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { layerEntries, type LayerFile } from '#oci/tar/layer_entries'
import { writeLayer } from '#oci/write_layer'

const words = MEDIA_TYPES.oci

const ISSUE = Buffer.from('a made-up system\n')

const NOTHING: readonly LayerFile[] = [
  { path: 'etc/issue', size: ISSUE.byteLength, open: () => chunks(ISSUE) },
]

/** Pushes an image with one layer. Returns its digest. */
export async function putTinyImage(
  store: ImageStore,
  repository: string,
  files: readonly LayerFile[] = NOTHING
): Promise<string> {
  const layer = await writeLayer(store, repository, layerEntries(files))
  const config = {
    created: '2026-01-01T00:00:00Z',
    os: 'linux',
    architecture: 'amd64',
    config: { Env: ['PATH=/bin'], Cmd: ['/bin/sh'], WorkingDir: '/' },
    rootfs: { type: 'layers', diff_ids: [layer.diffId] },
    history: [{ created: '2026-01-01T00:00:00Z', created_by: 'a test' }],
  }
  const bytes = Buffer.from(JSON.stringify(config))
  const blob = await store.writeBlob(repository, () => chunks(bytes))
  const manifest = storedManifest(words.manifest, {
    schemaVersion: 2,
    mediaType: words.manifest,
    config: { mediaType: words.config, ...blob },
    layers: [{ mediaType: words.layer, digest: layer.digest, size: layer.size }],
  })
  await store.putManifest(repository, manifest, 'latest')
  return manifest.digest
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

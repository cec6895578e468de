/**
 * Copies an image with one large layer between a folder and two registries, like a worker does, and prints the memory
 * used by this process and the upload program. `SOAK_MIB` sets the size of the layer (5120). The registries are read
 * from standard input.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import { markReleasable } from '#kernel/chunk_memory'
import { copyImage } from '#oci/copy_image'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { openImageStore } from '#oci/open_image_store'
import { UploadJournal } from '#oci/uploads/upload_journal'
import { chunksOf } from '#tests/helpers/oci/images'
import type { RegistryAccess } from '#tests/services/servers/docker_registry'
import { descendants, procFile } from '#tests/services/servers/process_table'

const MIB = 1024 ** 2
const LAYER_MIB = Number(process.env.SOAK_MIB ?? 5120)
const REPOSITORY = 'soak/image'

const [first, second] = (await json(process.stdin)) as [RegistryAccess, RegistryAccess]
const folder = await mkdtemp(join(tmpdir(), 'analysis-hub-copies-'))
try {
  const source = await openImageStore({ path: join(folder, 'source') })
  const words = MEDIA_TYPES.oci
  const layer = await source.writeBlob(REPOSITORY, randomPieces())
  const config = await source.writeBlob(REPOSITORY, chunksOf(Buffer.from('{}')))
  const image = storedManifest(words.manifest, {
    schemaVersion: 2,
    mediaType: words.manifest,
    config: { mediaType: words.config, ...config },
    layers: [{ mediaType: words.layer, ...layer }],
  })
  await source.putManifest(REPOSITORY, image, 'latest')

  await delay(500)
  globalThis.gc?.()
  const idle = process.memoryUsage.rss()
  const journal = await UploadJournal.open(join(folder, 'uploads'))
  const stores = [
    source,
    await openImageStore(first, { journal: journal }),
    await openImageStore(second, { journal: journal }),
    await openImageStore({ path: join(folder, 'target') }),
  ]
  for (const [n, store] of stores.slice(1).entries()) {
    let peak = 0
    let uploading = 0
    const watching = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
      uploading = Math.max(uploading, ...descendants(process.pid).map(ownBytes))
    }, 50)
    const startedAt = performance.now()
    const from = { store: stores[n]!, repository: REPOSITORY, reference: 'latest' }
    const to = { store, repository: REPOSITORY }
    const { digest } = await copyImage(from, to, { tag: 'latest' })
    clearInterval(watching)
    if (digest !== image.digest) {
      throw new Error(`The copy is ${digest}`)
    }
    const seconds = (performance.now() - startedAt) / 1000
    console.log(
      JSON.stringify({
        from: from.store.storageId.split(':')[0],
        to: store.storageId.split(':')[0],
        mebibytes: LAYER_MIB,
        seconds: Math.round(seconds * 10) / 10,
        mebibytesASecond: Math.round(LAYER_MIB / seconds),
        aboveIdleMib: Math.round((peak - idle) / MIB),
        uploaderMib: Math.round(uploading / MIB),
      })
    )
  }
  stores.forEach((store) => store.close())
} finally {
  await rm(folder, { recursive: true })
}

/** Memory without shared code. */
function ownBytes(pid: number): number {
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec(procFile(pid, 'status')) ?? []
  return Number(kibibytes ?? 0) * 1024
}

async function* randomPieces() {
  const block = randomBytes(MIB)
  for (let n = 0; n < LAYER_MIB; n++) {
    block.writeUInt32BE(n)
    yield markReleasable(Buffer.from(block))
  }
}

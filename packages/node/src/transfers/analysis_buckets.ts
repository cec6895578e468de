import { openAsBlob } from 'node:fs'
import { Readable } from 'node:stream'

import { HubRefusal } from '#node/errors'
import type { Hub } from '#node/hub/hub'

export type BucketType = 'RESULT' | 'TEMP'

interface BucketFile {
  readonly id: string
  readonly bucketId: string
  readonly actorType: string
  readonly actorId: string
}

/** The bytes of a file, and the client that stored it according to the hub, without proof. */
export interface StoredFile {
  readonly bytes: Readable
  readonly clientId: string | undefined
}

/** The buckets of one analysis at the hub. */
export class AnalysisBuckets {
  readonly #hub: Hub
  readonly #analysisId: string
  readonly #ids = new Map<BucketType, string>()

  constructor(hub: Hub, analysisId: string) {
    this.#hub = hub
    this.#analysisId = analysisId
  }

  /** Stores a file after a header, under a new name in the bucket, and returns its id. */
  async upload(type: BucketType, name: string, path: string, header = ''): Promise<string> {
    const bucketId = await this.#bucketId(type)
    const body = new FormData()
    body.append('file', new Blob([header, await openAsBlob(path)]), name)
    const { data } = await this.#hub.json<{ data: readonly [BucketFile] }>(
      'storage',
      `/buckets/${bucketId}/upload`,
      { method: 'POST', body }
    )
    return data[0].id
  }

  /** The size of a stored file. */
  async sizeOf(type: BucketType, name: string): Promise<number | undefined> {
    const query = { 'filter[bucketId]': await this.#bucketId(type), 'filter[name]': name }
    const { data } = await this.#hub.json<{ data: readonly { size: number | null }[] }>(
      'storage',
      '/bucket-files',
      { query }
    )
    return data[0]?.size ?? undefined
  }

  /** A node may read files of all its analyses, but an analysis only its own files. */
  async download(type: BucketType, fileId: string): Promise<StoredFile> {
    const path = `/bucket-files/${encodeURIComponent(fileId)}`
    const { data } = await this.#hub.json<{ data: BucketFile }>('storage', path)
    if (data.bucketId !== (await this.#bucketId(type))) {
      throw new HubRefusal('The analysis has no such file', 404)
    }
    const response = await this.#hub.open('storage', `${path}/stream`)
    return {
      bytes: Readable.fromWeb(response.body!),
      clientId: data.actorType === 'client' ? data.actorId : undefined,
    }
  }

  async remove(fileId: string): Promise<void> {
    const path = `/bucket-files/${encodeURIComponent(fileId)}`
    await this.#hub.json('storage', path, { method: 'DELETE' })
  }

  async #bucketId(type: BucketType): Promise<string> {
    const id = this.#ids.get(type) ?? (await this.#findBucket(type))
    this.#ids.set(type, id)
    return id
  }

  async #findBucket(type: BucketType): Promise<string> {
    const { data } = await this.#hub.json<{ data: readonly { bucketId: string }[] }>(
      'core',
      '/analysis-buckets',
      {
        query: {
          'filter[analysisId]': this.#analysisId,
          'filter[type]': type,
          'sort': 'createdAt',
          'page[limit]': '1',
        },
      }
    )
    if (!data[0]) {
      throw new HubRefusal(`The analysis has no bucket of the type ${type}`, 404)
    }
    return data[0].bucketId
  }
}

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import type { PreviousUpload, UrlStorage } from 'tus-js-client'

import { folders } from '#hubctl/settings/folders'
import { readPrivate, writePrivate } from '#hubctl/settings/private_file'

/** The platform removes an upload three days after its last chunk. */
const RETENTION_MS = 3 * 86_400_000

type UploadsByKey = Record<string, PreviousUpload & { fingerprint: string }>

/** Unfinished uploads of this machine, so that they can be resumed. */
export class PendingUploads implements UrlStorage {
  readonly #path = join(folders.cache, 'uploads.json')

  async findAllUploads(): Promise<PreviousUpload[]> {
    return Object.values(await this.#read())
  }

  async findUploadsByFingerprint(wanted: string): Promise<PreviousUpload[]> {
    const uploads = Object.values(await this.#read())
    return uploads.filter(({ fingerprint }) => fingerprint === wanted)
  }

  async addUpload(fingerprint: string, upload: PreviousUpload): Promise<string> {
    const urlStorageKey = randomUUID()
    const uploads = await this.#read()
    await writePrivate(this.#path, {
      ...uploads,
      [urlStorageKey]: { ...upload, urlStorageKey, fingerprint },
    })
    return urlStorageKey
  }

  async removeUpload(key: string): Promise<void> {
    const { [key]: removed, ...rest } = await this.#read()
    await writePrivate(this.#path, rest)
  }

  async #read(): Promise<UploadsByKey> {
    const uploads = Object.entries((await readPrivate<UploadsByKey>(this.#path)) ?? {})
    const oldest = Date.now() - RETENTION_MS
    return Object.fromEntries(
      uploads.filter(([, { creationTime }]) => new Date(creationTime).getTime() > oldest)
    )
  }
}

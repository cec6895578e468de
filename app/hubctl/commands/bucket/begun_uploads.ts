import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import type { PreviousUpload, UrlStorage } from 'tus-js-client'

import { folders } from '#hubctl/settings/folders'
import { readPrivate, writePrivate } from '#hubctl/settings/private_file'

/** The platform forgets an upload three days after its last piece. */
const KEPT_MS = 3 * 86_400_000

type Begun = Record<string, PreviousUpload & { fingerprint: string }>

/** The uploads that were begun on this machine and have not come to their end. */
export class BegunUploads implements UrlStorage {
  readonly #path = join(folders.cache, 'uploads.json')

  async findAllUploads(): Promise<PreviousUpload[]> {
    return Object.values(await this.#read())
  }

  async findUploadsByFingerprint(wanted: string): Promise<PreviousUpload[]> {
    const begun = Object.values(await this.#read())
    return begun.filter(({ fingerprint }) => fingerprint === wanted)
  }

  async addUpload(fingerprint: string, upload: PreviousUpload): Promise<string> {
    const urlStorageKey = randomUUID()
    const begun = await this.#read()
    await writePrivate(this.#path, {
      ...begun,
      [urlStorageKey]: { ...upload, urlStorageKey, fingerprint },
    })
    return urlStorageKey
  }

  async removeUpload(key: string): Promise<void> {
    const { [key]: gone, ...rest } = await this.#read()
    await writePrivate(this.#path, rest)
  }

  async #read(): Promise<Begun> {
    const begun = Object.entries((await readPrivate<Begun>(this.#path)) ?? {})
    const oldest = Date.now() - KEPT_MS
    return Object.fromEntries(
      begun.filter(([, { creationTime }]) => new Date(creationTime).getTime() > oldest)
    )
  }
}

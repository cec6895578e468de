import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { tryParseJson } from '#kernel/try_parse_json'

import { ImageFolderUnusable } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import type { Descriptor } from '#oci/image_store'
import { singleChunk } from '#oci/single_chunk'
import { isObject } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { newDraft } from './drafts.js'
import { withLayoutLock } from './layout_lock.js'
import { writeAtomically } from './write_atomically.js'

export const NAME_ANNOTATION = 'org.opencontainers.image.ref.name'
/** Names the repository of an untagged manifest. */
export const REPOSITORY_ANNOTATION = 'analysis-hub.repository'
/** Names the subject of a manifest, so that referrers are found without opening each manifest. */
export const SUBJECT_ANNOTATION = 'analysis-hub.subject'

interface Index {
  readonly content: Record<string, unknown>
  readonly entries: readonly Descriptor[]
}

/** The `index.json` of an OCI layout, which lists all manifests and their names. */
export class LayoutIndex {
  readonly #path: string
  readonly #folder: string

  constructor(folder: string) {
    this.#path = join(folder, 'index.json')
    this.#folder = folder
  }

  async entries(): Promise<readonly Descriptor[]> {
    const { entries } = await this.#read()
    return entries
  }

  /** Updates the entries under an exclusive lock. */
  async change(next: (entries: readonly Descriptor[]) => readonly Descriptor[]): Promise<void> {
    await withLayoutLock(this.#path, async () => {
      const { content, entries } = await this.#read()
      const manifests = next(entries)
      if (manifests !== entries) {
        await this.#write({ ...content, manifests })
      }
    })
  }

  async createIfMissing(): Promise<void> {
    const text = await this.#text()
    if (text === undefined) {
      await this.change((entries) => [...entries])
    }
  }

  async #write(content: object): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(content))
    await writeAtomically(newDraft(this.#folder), singleChunk(bytes), () => this.#path)
  }

  async #read(): Promise<Index> {
    const text = await this.#text()
    if (text === undefined) {
      const content = { schemaVersion: 2, mediaType: MEDIA_TYPES.oci.index }
      return { content, entries: [] }
    }
    const content = tryParseJson(text)
    const manifests = isObject(content) ? content.manifests : undefined
    if (!isObject(content) || !Array.isArray(manifests) || !manifests.every(isEntry)) {
      throw new ImageFolderUnusable(`${this.#path} is not a valid index`)
    }
    return { content, entries: manifests }
  }

  async #text(): Promise<string | undefined> {
    return readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') {
        return undefined
      }
      throw new ImageFolderUnusable(`${this.#path} cannot be read`, error)
    })
  }
}

/** The repository of an entry, or undefined if another tool wrote it without a name. */
export function repositoryOf({ annotations }: Descriptor): string | undefined {
  const name = annotations?.[NAME_ANNOTATION]
  return annotations?.[REPOSITORY_ANNOTATION] ?? name?.slice(0, name.lastIndexOf(':'))
}

export const isInRepository = (entry: Descriptor, repository: string): boolean =>
  repositoryOf(entry) === repository

const isEntry = (value: unknown): value is Descriptor => isObject(value) && isDigest(value.digest)

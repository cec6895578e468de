import type { Readable } from 'node:stream'

import type { ObjectAddress, ObjectStore } from '#storage/objects/object_store'

/** Where parts are stored. Part names have the form `<section>/<name>`. */
interface SectionLayout {
  /** The container and key prefix of a section. */
  of(section: string): { readonly container: string; readonly prefix: string }
  /** Whether to create containers. An S3 bucket already exists. */
  readonly createsContainers: boolean
}

export interface PartFacts {
  readonly name: string
  readonly size: number
}

/**
 * Stores one backup in a folder or under a prefix of an S3 bucket. Parts are written atomically; `tidy` removes
 * interrupted writes.
 */
export class BackupStore {
  readonly #store: ObjectStore
  readonly #sections: SectionLayout
  readonly #containers = new Map<string, Promise<void>>()

  constructor(store: ObjectStore, sections: SectionLayout) {
    this.#store = store
    this.#sections = sections
  }

  async put(
    name: string,
    source: AsyncIterable<Uint8Array>,
    options: { signal?: AbortSignal; expectedBytes?: number } = {}
  ): Promise<number> {
    const address = this.#addressOf(name)
    await this.#ensureContainer(address.container)
    return this.#store.put(address, source, options)
  }

  /** Rejects with `ObjectMissing` if the part does not exist. */
  read(name: string): Promise<Readable> {
    return this.#store.read(this.#addressOf(name))
  }

  async *list(section: string): AsyncGenerator<PartFacts> {
    const { container, prefix } = this.#sections.of(section)
    for await (const { key, size } of this.#store.list(container, prefix)) {
      yield { name: `${section}/${key.slice(prefix.length)}`, size }
    }
  }

  async remove(name: string): Promise<void> {
    await this.#store.delete(this.#addressOf(name))
  }

  /** Removes interrupted writes of a section. */
  async tidy(section: string): Promise<void> {
    const { container, prefix } = this.#sections.of(section)
    for await (const unfinished of this.#store.unfinished(container, prefix)) {
      await unfinished.discard()
    }
  }

  close(): void {
    this.#store.close()
  }

  #addressOf(name: string): ObjectAddress {
    const slash = name.indexOf('/')
    const { container, prefix } = this.#sections.of(name.slice(0, slash))
    return { container, key: prefix + name.slice(slash + 1) }
  }

  #ensureContainer(container: string): Promise<void> {
    let created = this.#containers.get(container)
    if (!created) {
      created = this.#sections.createsContainers
        ? this.#store.makeContainer(container)
        : Promise.resolve()
      this.#containers.set(container, created)
    }
    return created
  }
}

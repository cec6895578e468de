import type { Disk } from 'flydrive'

import type { HeadAnchor, SignedHead } from './head_anchor.js'
import type { ChainHead } from './statements.js'

const FOLDER = 'audit-heads'
const ABSENT = ['NoSuchKey', 'NoSuchBucket', 'NotFound']

/** Keeps heads where the objects are kept: an S3 bucket, or a folder. */
export class DriveAnchor implements HeadAnchor {
  readonly #disk: Disk
  readonly #makePlace: (() => Promise<void>) | undefined

  /** `makePlace` makes the bucket where the disk has none yet. */
  constructor(disk: Disk, makePlace?: () => Promise<void>) {
    this.#disk = disk
    this.#makePlace = makePlace
  }

  /** In two steps, so that a crash never leaves half a head behind. */
  async write({ signature, ...head }: SignedHead): Promise<void> {
    const key = keyOf(head.chain)
    const content = { ...head, signature: Buffer.from(signature).toString('base64') }
    await this.#put(`${key}.new`, JSON.stringify(content))
    await this.#disk.move(`${key}.new`, key)
  }

  async read(chain: string): Promise<SignedHead | undefined> {
    const content = await this.#content(keyOf(chain))
    if (content === undefined) {
      return undefined
    }
    const { signature, ...head } = JSON.parse(content) as ChainHead & { signature: string }
    return { ...head, signature: Buffer.from(signature, 'base64') }
  }

  async chains(): Promise<string[]> {
    const chains: string[] = []
    let token: string | undefined
    do {
      const page = await this.#page(token)
      for (const { name } of page.objects) {
        if (name.endsWith('.json')) {
          chains.push(name.slice(0, -'.json'.length))
        }
      }
      token = page.paginationToken
    } while (token)
    return chains
  }

  async #put(key: string, content: string): Promise<void> {
    try {
      await this.#disk.put(key, content)
    } catch (error) {
      if (!this.#makePlace || !isAbsent(error)) {
        throw error
      }
      await this.#makePlace()
      await this.#disk.put(key, content)
    }
  }

  async #page(paginationToken?: string) {
    try {
      return await this.#disk.listAll(FOLDER, { ...(paginationToken && { paginationToken }) })
    } catch (error) {
      if (isAbsent(error)) {
        return { objects: [], paginationToken: undefined }
      }
      throw error
    }
  }

  async #content(key: string): Promise<string | undefined> {
    try {
      return await this.#disk.get(key)
    } catch (error) {
      if (isAbsent(error)) {
        return undefined
      }
      throw error
    }
  }
}

function keyOf(chain: string): string {
  return `${FOLDER}/${chain}.json`
}

/** A file, folder or bucket that is not there; every other trouble is trouble. */
function isAbsent(error: unknown): boolean {
  const { code, name, cause } = error as { code?: string; name?: string; cause?: unknown }
  return (
    code === 'ENOENT' || ABSENT.includes(name ?? '') || (cause !== undefined && isAbsent(cause))
  )
}

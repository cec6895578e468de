import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Disk } from 'flydrive'

import { writeAtomically } from '#oci/folder/write_atomically'

import type { HeadAnchor, SignedHead } from './head_anchor.js'
import type { ChainHead } from './statements.js'

const FOLDER = 'audit-heads'
const ABSENT = ['NoSuchKey', 'NoSuchBucket', 'NotFound']

/** Replaces the content of a key atomically. */
type Replace = (key: string, content: string) => Promise<void>

/** Replaces an object; creates the bucket if it is missing. */
export function inBucket(disk: Disk, makeBucket: () => Promise<void>): Replace {
  return async (key, content) => {
    try {
      await disk.put(key, content)
    } catch (error) {
      if (!isAbsent(error)) {
        throw error
      }
      await makeBucket()
      await disk.put(key, content)
    }
  }
}

/** Replaces a file by renaming. A file of a crashed process is overwritten. There is one writer at a time. */
export function inFolder(folder: string): Replace {
  return async (key, content) => {
    const target = join(folder, key)
    const draft = `${target}.new`
    await mkdir(dirname(target), { recursive: true })
    await rm(draft, { force: true })
    await writeAtomically(draft, bytesOf(content), () => target)
  }
}

/** Stores heads in the object store: an S3 bucket, or a folder. */
export class DriveAnchor implements HeadAnchor {
  readonly #disk: Disk
  readonly #replace: Replace

  constructor(disk: Disk, replace: Replace) {
    this.#disk = disk
    this.#replace = replace
  }

  async write({ signature, ...head }: SignedHead): Promise<void> {
    const content = { ...head, signature: Buffer.from(signature).toString('base64') }
    await this.#replace(keyOf(head.chain), JSON.stringify(content))
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

async function* bytesOf(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content)
}

function keyOf(chain: string): string {
  return `${FOLDER}/${chain}.json`
}

/** Whether a file, folder or bucket is missing. */
function isAbsent(error: unknown): boolean {
  const { code, name, cause } = error as { code?: string; name?: string; cause?: unknown }
  return (
    code === 'ENOENT' || ABSENT.includes(name ?? '') || (cause !== undefined && isAbsent(cause))
  )
}

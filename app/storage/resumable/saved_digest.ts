import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { IHasher } from 'hash-wasm'

/**
 * The SHA-256 of bytes that arrive in chunks. Its state of 116 bytes is stored with the upload. A state of another
 * version cannot be loaded; the digest is then computed from the whole object.
 */
export class SavedDigest {
  readonly #hasher: IHasher | undefined

  private constructor(hasher: IHasher | undefined) {
    this.#hasher = hasher
  }

  /** Resumes from a state, or starts if nothing is stored yet. */
  static async from(state: Buffer | null, stored: number): Promise<SavedDigest> {
    const { createSHA256 } = await import('hash-wasm')
    const hasher = await createSHA256()
    if (stored === 0) {
      return new SavedDigest(hasher.init())
    }
    if (state === null) {
      return new SavedDigest(undefined)
    }
    try {
      return new SavedDigest(hasher.load(state))
    } catch {
      return new SavedDigest(undefined)
    }
  }

  update(bytes: Uint8Array): void {
    this.#hasher?.update(bytes)
  }

  /** The state for `from`; null if it is lost. */
  save(): Buffer | null {
    return this.#hasher ? Buffer.from(this.#hasher.save()) : null
  }

  /** The digest in lower-case hexadecimal digits; undefined if the state was lost. */
  end(): string | undefined {
    return this.#hasher?.digest('hex')
  }
}

/** The SHA-256 of a stream. */
export async function digestOf(source: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source) {
    hash.update(chunk as Uint8Array)
  }
  return hash.digest('hex')
}

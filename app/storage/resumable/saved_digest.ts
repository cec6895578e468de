import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { IHasher } from 'hash-wasm'

/**
 * The SHA-256 of bytes that arrive in pieces. Between them it is kept beside the upload, as 116 bytes; a state that another
 * version wrote cannot be gone on from, and the digest is taken from the whole object in the end.
 */
export class SavedDigest {
  readonly #hasher: IHasher | undefined

  private constructor(hasher: IHasher | undefined) {
    this.#hasher = hasher
  }

  /** Goes on from a state, or begins where nothing is stored yet. */
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

  /** What `from` goes on from; null where that is lost. */
  save(): Buffer | null {
    return this.#hasher ? Buffer.from(this.#hasher.save()) : null
  }

  /** In lower-case hexadecimal digits; undefined where only the object itself can tell. */
  end(): string | undefined {
    return this.#hasher?.digest('hex')
  }
}

/** The SHA-256 of all that a stream yields. */
export async function digestOf(source: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source) {
    hash.update(chunk as Uint8Array)
  }
  return hash.digest('hex')
}

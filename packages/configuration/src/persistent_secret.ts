import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface PersistentSecretOptions {
  /** Number of random bytes. */
  readonly byteLength: number
  /** Minimum length of a valid secret. */
  readonly minLength: number
  /** Creates the error for a file without a valid secret. */
  readonly createError: (file: string) => Error
}

/** A random secret of this installation, in a file with mode 600. */
export class PersistentSecret {
  readonly file: string
  readonly #options: PersistentSecretOptions

  constructor(file: string, options: PersistentSecretOptions) {
    this.file = file
    this.#options = options
  }

  /** The stored secret; undefined if there is none yet. */
  read(): string | undefined {
    try {
      const secret = readFileSync(this.file, 'utf8').trim()
      if (secret.length < this.#options.minLength) {
        throw this.#options.createError(this.file)
      }
      return secret
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) {
        return undefined
      }
      throw error
    }
  }

  /** The stored secret; generated on first use. */
  readOrCreate(): string {
    return this.read() ?? this.#create()
  }

  // The file is created atomically: several processes may start at once and must use the same secret.
  #create(): string {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
    const draft = `${this.file}.${randomBytes(6).toString('hex')}`
    const secret = randomBytes(this.#options.byteLength).toString('base64url')
    writeFileSync(draft, secret, { mode: 0o600, flag: 'wx' })
    try {
      linkSync(draft, this.file)
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) {
        throw error
      }
    } finally {
      unlinkSync(draft)
    }
    return this.readOrCreate()
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface PersistentSecretOptions {
  /** How many random bytes it is made of. */
  readonly byteLength: number
  /** How many characters a file has to hold to be of use. */
  readonly minLength: number
  /** What is said of a file that holds something else. */
  readonly createError: (file: string) => Error
}

/** A random secret of this installation, in a file that only its owner reads. */
export class PersistentSecret {
  readonly file: string
  readonly #options: PersistentSecretOptions

  constructor(file: string, options: PersistentSecretOptions) {
    this.file = file
    this.#options = options
  }

  /** Undefined until it is made. */
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

  /** The secret, made on first use. */
  readOrCreate(): string {
    return this.read() ?? this.#create()
  }

  // The file appears complete or not at all: several processes may start at once, and all must agree.
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

import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface Making {
  /** How many random bytes it is made of. */
  readonly bytes: number
  /** How many characters a file has to hold to be of use. */
  readonly least: number
  /** What is said of a file that holds something else. */
  readonly broken: (file: string) => Error
}

/** A random secret of this installation, in a file that only its owner reads. */
export class KeptSecret {
  readonly file: string
  readonly #making: Making

  constructor(file: string, making: Making) {
    this.file = file
    this.#making = making
  }

  /** Undefined until it is made. */
  read(): string | undefined {
    try {
      const secret = readFileSync(this.file, 'utf8').trim()
      if (secret.length < this.#making.least) {
        throw this.#making.broken(this.file)
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
  take(): string {
    return this.read() ?? this.#make()
  }

  // The file appears complete or not at all: several processes may start at once, and all must agree.
  #make(): string {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
    const draft = `${this.file}.${randomBytes(6).toString('hex')}`
    const secret = randomBytes(this.#making.bytes).toString('base64url')
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
    return this.take()
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

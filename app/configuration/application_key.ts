import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '#start/env'

/** The file with the application key exists but does not hold one. */
export class BrokenKeyFileError extends Error {
  static code = 'E_BROKEN_KEY_FILE'
  code = BrokenKeyFileError.code

  constructor(file: string) {
    super(
      `${file} holds no usable key. Restore it from a backup, or delete it to get a new key; ` +
        'what was encrypted with the old one cannot be read then.'
    )
    this.name = 'BrokenKeyFileError'
  }
}

/**
 * `APP_KEY`, or the random key of this installation, made on first use. Production never gets that far
 * without `APP_KEY`.
 */
export function applicationKey({ APP_KEY, DATA_DIR }: Pick<Env, 'APP_KEY' | 'DATA_DIR'>): string {
  if (APP_KEY !== undefined) return APP_KEY
  const file = join(DATA_DIR, 'app.key')
  return keptKey(file) ?? makeKey(DATA_DIR, file)
}

function keptKey(file: string): string | undefined {
  try {
    const key = readFileSync(file, 'utf8').trim()
    if (key.length < 32) throw new BrokenKeyFileError(file)
    return key
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
}

// The file appears complete or not at all: several processes may start at once, and all must agree.
function makeKey(folder: string, file: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  } finally {
    unlinkSync(draft)
  }
  return keptKey(file) ?? makeKey(folder, file)
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

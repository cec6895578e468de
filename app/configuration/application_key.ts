import { join } from 'node:path'

import type { Env } from './variables.js'
import { PersistentSecret } from './persistent_secret.js'

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
  const createError = (file: string) => new BrokenKeyFileError(file)
  const stored = new PersistentSecret(join(DATA_DIR, 'app.key'), {
    byteLength: 32,
    minLength: 32,
    createError,
  })
  return APP_KEY ?? stored.readOrCreate()
}

/** The key to seal with, and after it those that what was sealed before can be read with. */
export function applicationKeys(
  settings: Pick<Env, 'APP_KEY' | 'APP_KEY_PREVIOUS' | 'DATA_DIR'>
): [string, ...string[]] {
  const current = applicationKey(settings)
  return [current, ...settings.APP_KEY_PREVIOUS.filter((key) => key !== current)]
}

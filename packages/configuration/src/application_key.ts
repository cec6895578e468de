import { join } from 'node:path'

import type { Env } from './variables.js'
import { PersistentSecret } from './persistent_secret.js'

/** The file of the application key exists but contains no valid key. */
export class BrokenKeyFileError extends Error {
  static code = 'E_BROKEN_KEY_FILE'
  code = BrokenKeyFileError.code

  constructor(file: string) {
    super(
      `${file} contains no usable key. Restore it from a backup, or delete it to generate a new key; ` +
        'data encrypted with the old key cannot be read then.'
    )
    this.name = 'BrokenKeyFileError'
  }
}

/** `APP_KEY`, else a random key that is generated on first use. Production requires `APP_KEY`. */
export function applicationKey({ APP_KEY, DATA_DIR }: Pick<Env, 'APP_KEY' | 'DATA_DIR'>): string {
  const createError = (file: string) => new BrokenKeyFileError(file)
  const stored = new PersistentSecret(join(DATA_DIR, 'app.key'), {
    byteLength: 32,
    minLength: 32,
    createError,
  })
  return APP_KEY ?? stored.readOrCreate()
}

/** The key that encrypts, followed by previous keys that only decrypt. */
export function applicationKeys(
  settings: Pick<Env, 'APP_KEY' | 'APP_KEY_PREVIOUS' | 'DATA_DIR'>
): [string, ...string[]] {
  const current = applicationKey(settings)
  return [current, ...settings.APP_KEY_PREVIOUS.filter((key) => key !== current)]
}

import { join } from 'node:path'

import type { Env } from './variables.js'
import { KeptSecret } from './kept_secret.js'

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
  const broken = (file: string) => new BrokenKeyFileError(file)
  const kept = new KeptSecret(join(DATA_DIR, 'app.key'), { bytes: 32, least: 32, broken })
  return APP_KEY ?? kept.take()
}

/** The key to seal with, and after it those that what was sealed before can be read with. */
export function applicationKeys(
  settings: Pick<Env, 'APP_KEY' | 'APP_KEY_PREVIOUS' | 'DATA_DIR'>
): [string, ...string[]] {
  const current = applicationKey(settings)
  return [current, ...settings.APP_KEY_PREVIOUS.filter((key) => key !== current)]
}

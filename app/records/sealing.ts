import { Encryption } from '@adonisjs/core/encryption'
import { AES256GCM } from '@adonisjs/core/encryption/drivers/aes_256_gcm'

import { applicationKey } from '#configuration/application_key'
import { env } from '#start/env'

/** What was sealed for one purpose is nothing for another. */
export type Purpose =
  | 'client secret'
  | 'signing key'
  | 'login form'
  | 'registry account'
  | 'registry project account'
  | 'chosen registry secret'
  | 'registry hook'
  | 'waiting command'
  | 'dead letter'

let encryption: Encryption | undefined

const opened = () =>
  (encryption ??= new Encryption({
    driver: (key) => new AES256GCM({ id: 'hub', key }),
    keys: [applicationKey(env)],
  }))

/** Seals a value with the application key, for `expiresIn` where that is given. */
export function seal(purpose: Purpose, value: string, expiresIn?: string): string {
  return opened().encrypt(value, { purpose, ...(expiresIn && { expiresIn }) })
}

/** The sealed value; null where there is none, or it was sealed for something else or with a key that is gone, or is over. */
export function unseal(purpose: Purpose, sealed: string | null): string | null {
  return sealed === null ? null : opened().decrypt<string>(sealed, purpose)
}

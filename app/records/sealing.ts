import { Encryption } from '@adonisjs/core/encryption'
import { AES256GCM } from '@adonisjs/core/encryption/drivers/aes_256_gcm'

import { applicationKeys } from '#configuration/application_key'
import { env } from '#start/env'

/** What was sealed for one purpose is nothing for another. */
export type Purpose =
  | 'client secret'
  | 'signing key'
  | 'login form'
  | 'registry account'
  | 'registry worker account'
  | 'registry project account'
  | 'chosen registry secret'
  | 'registry hook'
  | 'waiting command'
  | 'dead letter'

/** Seals with the first of its keys, and opens what any of them has sealed. */
export class Sealing {
  readonly #all: Encryption
  readonly #current: Encryption

  constructor([current, ...former]: readonly [string, ...string[]]) {
    this.#all = encryptionWith([current, ...former])
    this.#current = former.length === 0 ? this.#all : encryptionWith([current])
  }

  seal(purpose: Purpose, value: string, expiresIn?: string): string {
    return this.#current.encrypt(value, { purpose, ...(expiresIn && { expiresIn }) })
  }

  unseal(purpose: Purpose, sealed: string): string | null {
    return this.#all.decrypt<string>(sealed, purpose)
  }

  isCurrent(purpose: Purpose, sealed: string): boolean {
    return this.#current.decrypt<string>(sealed, purpose) !== null
  }
}

const encryptionWith = (keys: string[]) =>
  new Encryption({ driver: (key) => new AES256GCM({ id: 'hub', key }), keys })

let instance: Sealing | undefined

/** That of this installation. */
export const installationSealing = (): Sealing => (instance ??= new Sealing(applicationKeys(env)))

/** Seals a value with the application key, for `expiresIn` where that is given. */
export function seal(purpose: Purpose, value: string, expiresIn?: string): string {
  return installationSealing().seal(purpose, value, expiresIn)
}

/** The sealed value; null where there is none, or it was sealed for something else or with a key that is gone, or is over. */
export function unseal(purpose: Purpose, sealed: string | null): string | null {
  return sealed === null ? null : installationSealing().unseal(purpose, sealed)
}

import { Encryption } from '@adonisjs/core/encryption'
import { AES256GCM } from '@adonisjs/core/encryption/drivers/aes_256_gcm'

import { oncePer } from '#kernel/once_per'
import { appSettings, type AppSettings } from '#settings/app_settings'

/** A value that is sealed for one purpose cannot be unsealed for another. */
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
  | 'console session'
  | 'console sign-in'
  | 'console user'

/** Seals with the first key, and unseals with any. */
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

const sealingOf = oncePer(({ appKeys }: AppSettings) => new Sealing(appKeys))

export const installationSealing = (): Sealing => sealingOf(appSettings())

/** Seals a value with the application key, optionally with an expiry. */
export function seal(purpose: Purpose, value: string, expiresIn?: string): string {
  return installationSealing().seal(purpose, value, expiresIn)
}

/** Unseals a value; null if there is none, its purpose differs, its key is unknown, or it has expired. */
export function unseal(purpose: Purpose, sealed: string | null): string | null {
  return sealed === null ? null : installationSealing().unseal(purpose, sealed)
}

import { join } from 'node:path'

import type { Env } from './variables.js'
import { PersistentSecret } from './persistent_secret.js'
import { isLoopback } from './loopback.js'

/** What administrator and platform begin with where only this machine can try it. */
export const DEFAULT_SECRET = 'start123'

/** Whom an embedded provider has from the start: where their secrets are chosen, and where one that was made up is kept. */
const INITIAL_SECRETS = {
  administrator: { variable: 'IDENTITY_ADMIN_PASSWORD', file: 'admin.password' },
  platform: { variable: 'CLIENT_SECRET', file: 'system.secret' },
} as const

export type InitialSecretOwner = keyof typeof INITIAL_SECRETS

type SecretSettings = Pick<
  Env,
  'NODE_ENV' | 'HOST' | 'DATA_DIR' | (typeof INITIAL_SECRETS)[InitialSecretOwner]['variable']
>

/** A secret in production was never chosen. */
export class MissingInitialSecretError extends Error {
  static code = 'E_MISSING_FIRST_SECRET'
  code = MissingInitialSecretError.code

  constructor(variable: string) {
    super(`The embedded identity provider starts with a secret of your own: set ${variable}.`)
    this.name = 'MissingFirstSecretError'
  }
}

/** The file of a first secret exists but does not hold one. */
export class BrokenSecretFileError extends Error {
  static code = 'E_BROKEN_SECRET_FILE'
  code = BrokenSecretFileError.code

  constructor(file: string) {
    super(`${file} holds no usable secret. Restore it from a backup, or delete it.`)
    this.name = 'BrokenSecretFileError'
  }
}

/**
 * What an installation begins with: what was chosen, else what was made up before, else what everybody knows as long as nobody
 * else reaches us. To be asked when it is written only, since it may be made up by that.
 */
export function initialSecret(owner: InitialSecretOwner, settings: SecretSettings): string {
  const configured = configuredSecret(owner, settings)
  if (configured !== undefined) {
    return configured
  }
  if (settings.NODE_ENV === 'production') {
    throw new MissingInitialSecretError(INITIAL_SECRETS[owner].variable)
  }
  const stored = persistentSecretOf(owner, settings)
  return isExposed(settings) ? stored.readOrCreate() : (stored.read() ?? DEFAULT_SECRET)
}

/** Whether the well-known secret must not be used any longer, and a random one is made. */
export function isGenerated(owner: InitialSecretOwner, settings: SecretSettings): boolean {
  return (
    settings.NODE_ENV !== 'production' &&
    isExposed(settings) &&
    configuredSecret(owner, settings) === undefined
  )
}

export const configuredSecret = (
  owner: InitialSecretOwner,
  settings: SecretSettings
): string | undefined => settings[INITIAL_SECRETS[owner].variable]

export function persistentSecretOf(
  owner: InitialSecretOwner,
  { DATA_DIR }: Pick<SecretSettings, 'DATA_DIR'>
): PersistentSecret {
  const createError = (file: string) => new BrokenSecretFileError(file)
  return new PersistentSecret(join(DATA_DIR, INITIAL_SECRETS[owner].file), {
    byteLength: 18,
    minLength: 16,
    createError,
  })
}

/** Whose secrets nobody made up yet, to find out later what this start made up. */
export function ownersWithoutStoredSecret(
  settings: Pick<SecretSettings, 'DATA_DIR'>
): InitialSecretOwner[] {
  const all = Object.keys(INITIAL_SECRETS) as InitialSecretOwner[]
  return all.filter((owner) => persistentSecretOf(owner, settings).read() === undefined)
}

const isExposed = ({ HOST }: Pick<SecretSettings, 'HOST'>) => !isLoopback(HOST)

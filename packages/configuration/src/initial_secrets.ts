import { join } from 'node:path'

import type { Env } from './variables.js'
import { PersistentSecret } from './persistent_secret.js'
import { isLoopback } from './loopback.js'

/** The initial secret of administrator and platform while only this machine can connect. */
export const DEFAULT_SECRET = 'start123'

/** The initial accounts of the embedded provider: the variable of their secret, and the file of a generated one. */
const INITIAL_SECRETS = {
  administrator: { variable: 'IDENTITY_ADMIN_PASSWORD', file: 'admin.password' },
  platform: { variable: 'CLIENT_SECRET', file: 'system.secret' },
} as const

export type InitialSecretOwner = keyof typeof INITIAL_SECRETS

type SecretSettings = Pick<
  Env,
  'NODE_ENV' | 'HOST' | 'DATA_DIR' | (typeof INITIAL_SECRETS)[InitialSecretOwner]['variable']
>

/** Production requires a configured secret. */
class MissingInitialSecretError extends Error {
  static code = 'E_MISSING_FIRST_SECRET'
  code = MissingInitialSecretError.code

  constructor(variable: string) {
    super(`The embedded identity provider requires a secret: set ${variable}.`)
    this.name = 'MissingFirstSecretError'
  }
}

/** The file of an initial secret exists but contains no valid secret. */
export class BrokenSecretFileError extends Error {
  static code = 'E_BROKEN_SECRET_FILE'
  code = BrokenSecretFileError.code

  constructor(file: string) {
    super(
      `${file} contains no usable secret. Restore it from a backup, or delete it to generate a new one.`
    )
    this.name = 'BrokenSecretFileError'
  }
}

/**
 * The configured secret, else a generated one, else the default while only this machine can connect.
 * May generate and store a secret, so call it only when the account is created.
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

/** Whether a random secret is used instead of the well-known default. */
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

/** The accounts without a stored secret, to determine later which secrets this start generated. */
export function ownersWithoutStoredSecret(
  settings: Pick<SecretSettings, 'DATA_DIR'>
): InitialSecretOwner[] {
  const all = Object.keys(INITIAL_SECRETS) as InitialSecretOwner[]
  return all.filter((owner) => persistentSecretOf(owner, settings).read() === undefined)
}

const isExposed = ({ HOST }: Pick<SecretSettings, 'HOST'>) => !isLoopback(HOST)

import { join } from 'node:path'

import type { Env } from './variables.js'
import { KeptSecret } from './kept_secret.js'
import { isLoopback } from './loopback.js'

/** What administrator and platform begin with where only this machine can try it. */
export const KNOWN_SECRET = 'start123'

/** Whom an embedded provider has from the start: where their secrets are chosen, and where one that was made up is kept. */
const FIRST = {
  administrator: { variable: 'IDENTITY_ADMIN_PASSWORD', file: 'admin.password' },
  platform: { variable: 'CLIENT_SECRET', file: 'system.secret' },
} as const

export type First = keyof typeof FIRST

type Settings = Pick<Env, 'NODE_ENV' | 'HOST' | 'DATA_DIR' | (typeof FIRST)[First]['variable']>

/** A secret in production was never chosen. */
export class MissingFirstSecretError extends Error {
  static code = 'E_MISSING_FIRST_SECRET'
  code = MissingFirstSecretError.code

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
export function firstSecret(whose: First, settings: Settings): string {
  const chosen = chosenSecretOf(whose, settings)
  if (chosen !== undefined) {
    return chosen
  }
  if (settings.NODE_ENV === 'production') {
    throw new MissingFirstSecretError(FIRST[whose].variable)
  }
  const kept = keptSecretOf(whose, settings)
  return isOpen(settings) ? kept.take() : (kept.read() ?? KNOWN_SECRET)
}

/** Whether the well-known secret must not be used any longer, and a random one is made. */
export function isMadeUp(whose: First, settings: Settings): boolean {
  return (
    settings.NODE_ENV !== 'production' &&
    isOpen(settings) &&
    chosenSecretOf(whose, settings) === undefined
  )
}

export const chosenSecretOf = (whose: First, settings: Settings): string | undefined =>
  settings[FIRST[whose].variable]

export function keptSecretOf(whose: First, { DATA_DIR }: Pick<Settings, 'DATA_DIR'>): KeptSecret {
  const broken = (file: string) => new BrokenSecretFileError(file)
  return new KeptSecret(join(DATA_DIR, FIRST[whose].file), { bytes: 18, least: 16, broken })
}

/** Whose secrets nobody made up yet, to find out later what this start made up. */
export function notMadeUpYet(settings: Pick<Settings, 'DATA_DIR'>): First[] {
  const all = Object.keys(FIRST) as First[]
  return all.filter((whose) => keptSecretOf(whose, settings).read() === undefined)
}

const isOpen = ({ HOST }: Pick<Settings, 'HOST'>) => !isLoopback(HOST)

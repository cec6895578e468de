import type { Env } from './variables.js'
import type { Facts } from './catalogue.js'
import type { Mistake } from './configuration_error.js'

type EnvFacts = Facts<Env>

/** Rules about variables that are valid on their own but contradict each other. */
export const consistencyRules = [
  ports,
  objectStore,
  backupStore,
  strictRealm,
  logStore,
  identity,
  tokenLifetimes,
  mailbox,
]

function ports({ values }: EnvFacts): Mistake[] {
  if (values.PORT === 0 || values.PORT !== values.ADMIN_PORT) {
    return []
  }
  return [mistake('ADMIN_PORT', 'is the same as PORT', 'give each a port of its own')]
}

const STORE = ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const
const BACKUP_STORE = ['BACKUP_S3_ENDPOINT', 'BACKUP_S3_ACCESS_KEY', 'BACKUP_S3_SECRET_KEY'] as const

function objectStore(facts: EnvFacts): Mistake[] {
  return requireTogether(facts, STORE, [...STORE, 'S3_BUCKET'])
}

function backupStore(facts: EnvFacts): Mistake[] {
  return requireTogether(facts, BACKUP_STORE)
}

/** Reports missing parts if any of the dependents is set. */
function requireTogether(
  { isGiven: given }: EnvFacts,
  parts: readonly (keyof Env)[],
  dependents: readonly (keyof Env)[] = parts
): Mistake[] {
  const present = dependents.filter((name) => given(name))
  if (present.length === 0) {
    return []
  }
  return parts
    .filter((name) => !given(name))
    .map((name) =>
      mistake(name, `is missing beside ${present.join(', ')}`, `set ${parts.join(', ')} together`)
    )
}

function strictRealm({ values, isGiven: given, isOverridden: stated }: EnvFacts): Mistake[] {
  const { SURFACES, STORAGE_STRICT_REALM } = values
  const isAlone = SURFACES.includes('storage') && !SURFACES.includes('core')
  const isWanted = STORAGE_STRICT_REALM && stated('STORAGE_STRICT_REALM')
  if (!isWanted || !isAlone || given('CORE_URL')) {
    return []
  }
  return [
    mistake(
      'CORE_URL',
      'is missing beside STORAGE_STRICT_REALM, which reads the participants of an analysis from core',
      'set the address of core, or unset STORAGE_STRICT_REALM'
    ),
  ]
}

function logStore({ isGiven: given, isOverridden: stated }: EnvFacts): Mistake[] {
  const overrides = (['LOGSTORE_INGESTOR_URL', 'LOGSTORE_QUERIER_URL'] as const).filter((name) =>
    given(name)
  )
  if (overrides.length === 0) {
    return []
  }
  if (given('LOGSTORE_URL') && !stated('LOGSTORE_URL')) {
    return [
      mistake(
        'LOGSTORE_URL',
        `is memory beside ${overrides.join(', ')}`,
        'set a URL, or unset the rest'
      ),
    ]
  }
  if (given('LOGSTORE_URL') || overrides.length === 2) {
    return []
  }
  return [
    mistake(
      'LOGSTORE_URL',
      `is missing beside ${overrides[0]}`,
      'set it, or both addresses that override it'
    ),
  ]
}

function tokenLifetimes({ values }: EnvFacts): Mistake[] {
  if (values.REFRESH_TOKEN_SECONDS > values.ACCESS_TOKEN_SECONDS) {
    return []
  }
  return [
    mistake(
      'REFRESH_TOKEN_SECONDS',
      'is not longer than ACCESS_TOKEN_SECONDS, so sessions could not be renewed',
      'set it to a multiple of ACCESS_TOKEN_SECONDS'
    ),
  ]
}

function identity({ values, isGiven: given, isOverridden: stated }: EnvFacts): Mistake[] {
  if (!given('IDENTITY_URL')) {
    if (values.IDENTITY_EMBEDDED) {
      return []
    }
    return [
      mistake(
        'IDENTITY_EMBEDDED',
        'is false while IDENTITY_URL is unset',
        'set IDENTITY_URL, or unset this'
      ),
    ]
  }
  const mistakes: Mistake[] = []
  if (given('IDENTITY_EMBEDDED') && values.IDENTITY_EMBEDDED) {
    mistakes.push(
      mistake(
        'IDENTITY_EMBEDDED',
        'is true while IDENTITY_URL names another provider',
        'unset one of the two'
      )
    )
  }
  if (stated('SURFACES') && values.SURFACES.includes('identity')) {
    mistakes.push(
      mistake(
        'SURFACES',
        'names identity while IDENTITY_URL names another provider',
        'unset one of the two'
      )
    )
  }
  return mistakes
}

function mailbox({ values }: EnvFacts): Mistake[] {
  const { MAILBOX_MAX_BYTES: mailboxSize, MESSAGE_MAX_BYTES: messageSize } = values
  if (mailboxSize === 0 || mailboxSize >= messageSize) {
    return []
  }
  return [
    mistake(
      'MAILBOX_MAX_BYTES',
      'is smaller than MESSAGE_MAX_BYTES',
      'a mailbox must have room for at least one message'
    ),
  ]
}

function mistake(name: keyof Env, problem: string, allowed: string): Mistake {
  return { name, problem, allowed }
}

import type { Env } from './variables.js'
import type { Facts, Variables } from './catalogue.js'
import { DRIVER_SETTINGS, isEmbedded } from './embedded_drivers.js'
import { DEFAULT_SECRET } from './initial_secrets.js'
import {
  isOnlyWorker,
  requiredConcerns,
  surfacesOf,
  type Concern,
  type Surface,
} from './processes.js'
import type { Mistake } from './configuration_error.js'
import { urlsByHost } from './urls_by_host.js'

type EnvFacts = Facts<Env>

const SHORTEST = 12

/** Rules of `NODE_ENV=production`: no default secrets, and embedded drivers only on request. */
export const productionRules = [
  missingSecrets,
  wellKnownSecrets,
  shortSecrets,
  unrequestedDrivers,
].map((rule) => (facts: EnvFacts) => (facts.values.NODE_ENV === 'production' ? rule(facts) : []))

function missingSecrets({ variables, values, isGiven: given }: EnvFacts): Mistake[] {
  const required = Object.keys(variables).filter((name) => variables[name]?.requiredInProduction)
  if (isOnlyWorker(values)) {
    return missing(
      required.flatMap((name) =>
        given(name as keyof Env) ? [] : (SECRETS_OF_WORKER[name] ?? name)
      ),
      given
    )
  }
  if (values.SURFACES.includes('identity') && !given('IDENTITY_URL')) {
    required.push('IDENTITY_ADMIN_PASSWORD')
  }
  return missing(required, given)
}

function missing(required: readonly string[], given: EnvFacts['isGiven']): Mistake[] {
  return required
    .filter((name) => !given(name as keyof Env))
    .map((name) => ({ name, problem: 'is missing', allowed: 'production has no default for it' }))
}

/** What a process with only the worker has instead of the secrets of the hub: what it signs and logs in with. */
const SECRETS_OF_WORKER: Readonly<Record<string, string>> = {
  APP_KEY: 'IMAGE_SIGNING_KEY',
  CLIENT_SECRET: 'WORKER_CLIENT_SECRET',
}

function wellKnownSecrets({ variables, text }: EnvFacts): Mistake[] {
  const wellKnownNames = wellKnown(variables)
  return Object.keys(variables)
    .filter((name) => variables[name]?.secret)
    .filter((name) =>
      extractSecrets(text(name) ?? '').some((secret) => wellKnownNames.has(secret.toLowerCase()))
    )
    .map((name) => ({
      name,
      problem: 'is a well-known secret',
      allowed: 'choose another one',
    }))
}

/** The secret variables whose value, as `valueOf` reads it, is well known. */
export function wellKnownSecretsIn(
  { groups }: { groups: Readonly<Record<string, Variables>> },
  valueOf: (name: string) => unknown
): string[] {
  const variables = Object.assign({}, ...Object.values(groups)) as Variables
  const wellKnownNames = wellKnown(variables)
  const isKnown = (value: unknown) =>
    typeof value === 'string' &&
    extractSecrets(value).some((secret) => wellKnownNames.has(secret.toLowerCase()))
  return Object.keys(variables).filter((name) => variables[name]?.secret && isKnown(valueOf(name)))
}

/** Secrets chosen by people need a minimum length. */
function shortSecrets(facts: EnvFacts): Mistake[] {
  const wellKnownNames = wellKnownSecrets(facts).map(({ name }) => name)
  return (['IDENTITY_ADMIN_PASSWORD', 'CLIENT_SECRET'] as const)
    .filter((name) => !wellKnownNames.includes(name))
    .filter((name) => (facts.text(name)?.length ?? SHORTEST) < SHORTEST)
    .map((name) => ({
      name,
      problem: 'is too short',
      allowed: `allowed: at least ${SHORTEST} characters`,
    }))
}

function unrequestedDrivers(facts: EnvFacts): Mistake[] {
  return [...requiredConcerns(facts.values)]
    .filter((concern) => isEmbedded(concern, facts.values) && !isRequested(concern, facts))
    .map((concern) => ({
      name: DRIVER_SETTINGS[concern].replace,
      problem: 'is missing',
      allowed: `set it, or ask for the embedded driver with ${DRIVER_SETTINGS[concern].name}`,
    }))
}

function isRequested(concern: Concern, { values, isGiven: given }: EnvFacts): boolean {
  switch (concern) {
    case 'database':
      return (
        given('DATABASE_URL') || surfacesOf(values).every((surface) => given(ownDatabase(surface)))
      )
    case 'bus':
      return given('AMQP_URL')
    case 'signals':
      return given('REDIS_URL')
    case 'objects':
      return given('S3_ENDPOINT') || given('STORAGE_PATH')
    case 'logs':
      return given('LOGSTORE_URL') || given('LOGSTORE_INGESTOR_URL', 'LOGSTORE_QUERIER_URL')
    case 'identity':
      return given('IDENTITY_URL') || (given('IDENTITY_EMBEDDED') && values.IDENTITY_EMBEDDED)
  }
}

function ownDatabase(surface: Surface) {
  return `${surface.toUpperCase() as Uppercase<typeof surface>}_DATABASE_URL` as const
}

function wellKnown(variables: Variables): ReadonlySet<string> {
  const examples = Object.values(variables)
    .filter((variable) => variable.secret)
    .flatMap(({ example, default: fallback }) => [example, fallback])
    .filter((text) => typeof text === 'string')
  return new Set(
    [DEFAULT_SECRET, ...examples.flatMap(extractSecrets)].map((secret) => secret.toLowerCase())
  )
}

/** The text itself and the passwords in it if it is a connection string. */
function extractSecrets(text: string): string[] {
  const url = text.includes('://') ? URL.parse(urlsByHost(text)[0]!) : null
  const inside = url
    ? [decoded(url.password), ...url.searchParams.values()]
    : [/^[^:]*:(.*)@/.exec(text)?.[1] ?? '']
  return [text.trim(), ...inside].filter((secret) => secret !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

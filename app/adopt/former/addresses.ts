import { AdoptionRefused } from '#adopt/adoption_refused'
import { SERVICES, type Service } from '#adopt/transfer'
import type { Env } from '#configuration/variables'
import type { FormerDatabase } from './former_database.js'

type FormerSettings = Pick<
  Env,
  `FORMER_${Uppercase<Service>}_DATABASE_URL` | 'FORMER_DATABASE_PASSWORD'
>

export type Addresses = Partial<Record<Service, string>>

const PROTOCOLS = ['postgres:', 'postgresql:', 'mysql:', 'mariadb:']
const PLACEHOLDER = '{service}'

/**
 * Addresses of the former databases, from the command line or the environment. Passwords on the command line are
 * rejected, because other users of the machine can see them.
 */
export function addressesFrom(argument: readonly string[], settings: FormerSettings): Addresses {
  const password = settings.FORMER_DATABASE_PASSWORD
  const named = argument.map((text) => addressesIn(text, password))
  const addresses = Object.assign({}, ...named) as Addresses
  for (const service of SERVICES) {
    addresses[service] ??= settings[`FORMER_${upper(service)}_DATABASE_URL`]
  }
  const found = Object.entries(addresses).filter(([, url]) => url !== undefined)
  if (found.length === 0) {
    throw new AdoptionRefused(
      'No former database is configured: name each with --from=<service>=<url> ' +
        `(services are ${SERVICES.join(', ')}), or set FORMER_CORE_DATABASE_URL and the like`
    )
  }
  return Object.fromEntries(found)
}

function addressesIn(argument: string, password: string | undefined): Addresses {
  const service = SERVICES.find((one) => argument.startsWith(`${one}=`))
  if (service) {
    return { [service]: withPassword(argument.slice(service.length + 1), password) }
  }
  if (!argument.includes(PLACEHOLDER)) {
    throw new AdoptionRefused(
      `--from=${withoutSecrets(argument)} names no service: use --from=core=<url>, or --from=<url> with ${PLACEHOLDER} in the url`
    )
  }
  return Object.fromEntries(
    SERVICES.map((one) => [one, withPassword(argument.replaceAll(PLACEHOLDER, one), password)])
  )
}

function withPassword(address: string, password: string | undefined): string {
  const url = URL.parse(address)
  if (!url || !PROTOCOLS.includes(url.protocol)) {
    throw new AdoptionRefused(
      `${withoutSecrets(address)} is not a database address: it must start with postgres:// or mysql://`
    )
  }
  if (url.password) {
    throw new AdoptionRefused(
      'Other users of the machine can see a password on the command line: remove it, and set FORMER_DATABASE_PASSWORD, or the whole address as FORMER_CORE_DATABASE_URL and the like. Change the password you just typed'
    )
  }
  if (password !== undefined) {
    url.password = encodeURIComponent(password)
  }
  return url.href
}

/** Opens a former database. Loads only the driver it needs. */
export async function openFormer(service: Service, address: string): Promise<FormerDatabase> {
  try {
    if (address.startsWith('postgres')) {
      const { FormerPostgres } = await import('./former_postgres.js')
      return await FormerPostgres.open(address)
    }
    const { FormerMysql } = await import('./former_mysql.js')
    return await FormerMysql.open(address.replace(/^mariadb:/, 'mysql:'))
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    throw new AdoptionRefused(
      `The former database of ${service} cannot be opened: ${message || code}. Check its address, user and password`,
      { cause: error }
    )
  }
}

const upper = <S extends Service>(service: S) => service.toUpperCase() as Uppercase<S>

const withoutSecrets = (address: string) => address.replace(/\/\/[^@/]*@/, '//…@')

import { Hash } from '@adonisjs/core/hash'
import { Scrypt } from '@adonisjs/core/hash/drivers/scrypt'

import { DEFAULT_SECRET } from '#configuration/initial_secrets'
import { wellKnownSecretsIn } from '#configuration/production'
import type { Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { platformSecret } from '#doctor/own_token'
import type { CheckContext } from '#doctor/check_context'
import { digestOf } from '#identity/embedded/client_secrets'
import type { Env } from '#configuration/variables'
import { catalogue } from '#configuration/hub_catalogue'

/** Default credentials of third-party servers. */
const VENDOR_DEFAULTS: Readonly<Record<string, readonly RegExp[]>> = {
  AMQP_URL: [/\/\/guest:guest@/],
  DATABASE_URL: [/\/\/postgres:(postgres|password)?@/],
  S3_SECRET_KEY: [/^(minioadmin|minio123|miniosecret|changeme|password)$/],
  HARBOR_URL: [/"Harbor12345"/],
}

/** Checks for default secrets of the platform and of third-party servers. */
export const defaultSecretsCheck: Check = {
  name: 'default secrets',
  async run(context) {
    return [...checkVariables(context.env), ...(await checkLogins(context))]
  },
}

/** Findings name the variable only. */
function checkVariables(env: Env): Finding[] {
  const known = wellKnownSecretsIn(catalogue, (name) => env[name as keyof Env])
  const vendorDefaults = Object.entries(VENDOR_DEFAULTS)
    .filter(([name, shapes]) => shapes.some((shape) => shape.test(textOf(env[name as keyof Env]))))
    .map(([name]) => name)
  const elsewhere =
    env.IDENTITY_URL && platformSecret(env) === DEFAULT_SECRET ? ['CLIENT_SECRET'] : []
  const names = new Set([...known, ...vendorDefaults, ...elsewhere])
  return [...names].map((name) => finding('SECRET_KNOWN', `that in ${name}`))
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

async function checkLogins(context: CheckContext): Promise<Finding[]> {
  const { pool } = context.databaseOf('identity') ?? {}
  if (!pool) {
    return []
  }
  const { rows: clients } = await pool.query<{ name: string }>(
    'select name from clients where secret_digest = $1 and active order by name',
    [digestOf(DEFAULT_SECRET)]
  )
  const { rows: administrators } = await pool.query<{ password: string }>(
    `select u.password from users u join realms r on r.id = u.realm_id
     where u.name = 'admin' and r.built_in and u.active and u.password is not null`
  )
  const hash = new Hash(new Scrypt({}))
  const password = administrators[0]?.password
  const isKnown = password !== undefined && (await hash.verify(password, DEFAULT_SECRET))
  return [
    ...clients.map(({ name }) => finding('SECRET_OF_CLIENT', name)),
    ...(isKnown ? [finding('SECRET_OF_ADMINISTRATOR', 'in the realm master')] : []),
  ]
}

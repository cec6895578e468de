import type pg from 'pg'

import { initialSecret, isGenerated, DEFAULT_SECRET } from '#configuration/initial_secrets'
import { identityPool } from './database.js'
import { StartFailure } from '#kernel/start_failure'
import { env, type Env } from '#start/env'
import { digestOf, storedSecret } from './client_secrets.js'
import { hashPassword, isPassword } from './passwords.js'

const ADMINISTRATOR = `select u.id, u.name, u.password from users u join realms r on r.id = u.realm_id
  where u.name = 'admin' and r.built_in and u.active and u.password is not null`

/** Throws if an account still has a well-known secret in production, from a database that was used for evaluation. */
export async function requireOwnSecrets({ NODE_ENV }: Pick<Env, 'NODE_ENV'> = env): Promise<void> {
  if (NODE_ENV !== 'production') {
    return
  }
  const { rows } = await identityPool().query<{ name: string }>(
    'select name from clients where secret_digest = $1',
    [digestOf(DEFAULT_SECRET)]
  )
  const administrator = await administratorWithKnownSecret(identityPool())
  const [known] = [
    ...rows.map(({ name }) => `client ${name}`),
    ...(administrator ? ['user admin'] : []),
  ]
  if (known) {
    throw new StartFailure(
      `The ${known} of the identity provider still has its initial secret: change it before you use this database in production.`
    )
  }
}

/**
 * Replaces well-known secrets of the administrator and the platform once other machines can connect. Configured secrets
 * stay.
 */
export async function replaceKnownSecrets(
  transaction: pg.ClientBase,
  settings: Parameters<typeof isGenerated>[1] = env
): Promise<void> {
  const administrator =
    isGenerated('administrator', settings) && (await administratorWithKnownSecret(transaction))
  if (administrator) {
    const password = await hashPassword(initialSecret('administrator', settings))
    await transaction.query('update users set password = $2 where id = $1', [
      administrator.id,
      password,
    ])
  }
  if (isGenerated('platform', settings) && (await hasKnownSecret(transaction, env.CLIENT_ID))) {
    const { secret, secretDigest } = await storedSecret(initialSecret('platform', settings))
    await transaction.query(
      'update clients set secret = $2, secret_digest = $3 where built_in and name = $1',
      [env.CLIENT_ID, secret, secretDigest]
    )
  }
}

async function administratorWithKnownSecret(
  database: Pick<pg.ClientBase, 'query'>
): Promise<{ id: string } | undefined> {
  const { rows } = await database.query<{ id: string; password: string }>(ADMINISTRATOR)
  const [administrator] = rows
  const isKnown = administrator && (await isPassword(DEFAULT_SECRET, administrator.password))
  return isKnown ? administrator : undefined
}

async function hasKnownSecret(transaction: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'select 1 from clients where built_in and name = $1 and secret_digest = $2',
    [name, digestOf(DEFAULT_SECRET)]
  )
  return rowCount !== 0
}

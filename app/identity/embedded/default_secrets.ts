import { identityPool } from '#identity/embedded/database'
import { StartFailure } from '#runtime/start_failure'
import { env, type Env } from '#start/env'
import { digestOf } from './client_secrets.js'
import { isPassword } from './passwords.js'

/** What administrator and platform begin with outside production, where nobody chose anything else. */
const DEFAULT_SECRET = 'start123'

/**
 * Throws where production would go on with a secret that everybody knows, from a time when the same database was used
 * to try things out.
 */
export async function requireOwnSecrets({ NODE_ENV }: Pick<Env, 'NODE_ENV'> = env): Promise<void> {
  if (NODE_ENV !== 'production') {
    return
  }
  const { rows } = await identityPool().query<{ what: string; name: string; secret: string }>(
    `select 'client' as what, name, secret_digest as secret from clients where secret_digest = $1
     union all
     select 'user', u.name, u.password from users u join realms r on r.id = u.realm_id
     where u.name = 'admin' and r.built_in and u.active and u.password is not null`,
    [digestOf(DEFAULT_SECRET)]
  )
  for (const { what, name, secret } of rows) {
    if (what === 'client' || (await isPassword(DEFAULT_SECRET, secret))) {
      throw new StartFailure(
        `The ${what} ${name} of the identity provider still has the secret it came with: change it before this database is used in production.`
      )
    }
  }
}

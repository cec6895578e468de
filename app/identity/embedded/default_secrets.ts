import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type pg from 'pg'

import { initialSecret, isGenerated, DEFAULT_SECRET } from '#configuration/initial_secrets'
import { Client } from '#identity/clients/client'
import { User } from '#identity/users/user'
import { StartFailure } from '#kernel/start_failure'
import { identitySettings } from '#identity/identity_settings'
import { lucidClientFor } from '#records/lucid_client'
import { appSettings } from '#settings/app_settings'
import { digestOf, storedSecret } from './client_secrets.js'
import { hashPassword, isPassword } from './passwords.js'

/** Throws if an account still has a well-known secret in production, from a database that was used for evaluation. */
export async function requireOwnSecrets({ isProduction } = appSettings()): Promise<void> {
  if (!isProduction) {
    return
  }
  const clients = await Client.query().where('secretDigest', digestOf(DEFAULT_SECRET))
  const administrator = await administratorWithKnownSecret()
  const [known] = [
    ...clients.map(({ name }) => `client ${name}`),
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
  settings: Parameters<typeof isGenerated>[1] = identitySettings().secrets
): Promise<void> {
  const client = await lucidClientFor(transaction)
  if (isGenerated('administrator', settings)) {
    const administrator = await administratorWithKnownSecret({ client })
    await administrator
      ?.merge({ password: await hashPassword(initialSecret('administrator', settings)) })
      .save()
  }
  if (isGenerated('platform', settings)) {
    const { clientId: name } = identitySettings().platform
    const platform = await Client.query({ client })
      .where({ builtIn: true, name, secretDigest: digestOf(DEFAULT_SECRET) })
      .first()
    await platform?.merge(await storedSecret(initialSecret('platform', settings))).save()
  }
}

async function administratorWithKnownSecret(options?: ModelAdapterOptions): Promise<User | null> {
  const administrator = await User.query(options)
    .where({ name: 'admin', active: true })
    .whereNotNull('password')
    .whereHas('realm', (realm) => realm.where('builtIn', true))
    .first()
  const isKnown = administrator && (await isPassword(DEFAULT_SECRET, administrator.password!))
  return isKnown ? administrator : null
}

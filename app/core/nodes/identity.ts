import type pg from 'pg'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { WantedPermissions } from '#identity/lifecycle/client_permissions'
import { ClientIntents } from '#identity/lifecycle/client_intents'
import { ClientProvisioning } from '#identity/lifecycle/client_provisioning'
import type { IdentityProvider } from '#identity/provider'
import type { Values } from '#records/kind'

import { ClientTasks } from './client_tasks.js'

let provisioning: ClientProvisioning | undefined

/** The provider of this process. It is there once the application is. */
export async function identityProvider(): Promise<IdentityProvider> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make('identity')
}

/** What gives records their clients. */
async function clientProvisioning(): Promise<ClientProvisioning> {
  if (!provisioning) {
    const { default: logger } = await import('@adonisjs/core/services/logger')
    const intents = new ClientIntents(pools.for(databaseUrl('core')))
    provisioning = new ClientProvisioning({ provider: await identityProvider(), intents, logger })
  }
  return provisioning
}

/** Makes a record's client before the record is written by `work`, with the client's id in it. */
export async function withNewClient<T>(values: Values, work: () => Promise<T>): Promise<T> {
  const clients = await clientProvisioning()
  return clients.around(ownerOf(values), (client) => {
    values.clientId = client.id
    return work()
  })
}

/** Notes in the transaction that writes a record that its client is not for nothing, and what it may do from then on. */
export async function keepNewClient(
  transaction: pg.ClientBase,
  values: Values,
  permissions: WantedPermissions
): Promise<void> {
  const clients = await clientProvisioning()
  await clients.fulfil(transaction, ownerOf(values))
  await clientTasks().grantLater(transaction, values.clientId as string, permissions)
}

const ownerOf = ({ id, realmId }: Values) => ({ id: id as string, realmId: realmId as string })

export const clientTasks = (): ClientTasks => new ClientTasks(pools.for(databaseUrl('core')))

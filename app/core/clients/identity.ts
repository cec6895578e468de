import type pg from 'pg'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { Actor } from '#kernel/actor'
import type { WantedPermissions } from '#auth/client_permissions'
import { ClientIntents } from '#core/clients/client_intents'
import { ClientProvisioning } from '#core/clients/client_provisioning'
import type { RecordClients } from '#auth/record_clients'
import type { IdentityProvider } from '#auth/provider'
import type { Values } from '#records/kind'
import { sideBySide } from '#records/transaction'

import { ClientTasks } from './client_tasks.js'

let clients: Promise<RecordClients> | undefined

/** The provider of this process. It is there once the application is. */
export async function identityProvider(): Promise<IdentityProvider> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make('identity')
}

/** What gives records their clients. */
function recordClients(): Promise<RecordClients> {
  return (clients ??= openRecordClients().catch((error) => {
    clients = undefined
    throw error
  }))
}

async function openRecordClients(): Promise<RecordClients> {
  const provider = await identityProvider()
  const pool = pools.for(databaseUrl('core'))
  const alongside = provider.clientsAlongside?.(pool)
  if (alongside) {
    return alongside
  }
  const { default: logger } = await import('@adonisjs/core/services/logger')
  return new ClientProvisioning({ provider, intents: new ClientIntents(pool), logger })
}

/** Throws where the provider knows that a client may do more than somebody who would remove it. */
export async function requireClientWithin(clientId: string, within: Actor): Promise<void> {
  const { clients: directory } = await identityProvider()
  await directory?.requireWithin?.(clientId, within)
}

/** Lets `work` write a record with the id of the client it gets. */
export async function withNewClient<T>(values: Values, work: () => Promise<T>): Promise<T> {
  const theirs = await recordClients()
  return theirs.around(ownerOf(values), (clientId) => {
    values.clientId = clientId
    return work()
  })
}

/**
 * Writes a record in its transaction by `write`, and sees to it that its client is there with it and will have its
 * permissions.
 */
export async function writtenWithClient<T>(
  transaction: pg.ClientBase,
  values: Values,
  permissions: WantedPermissions,
  write: () => Promise<T>
): Promise<T> {
  const [written] = await sideBySide(write(), keepClient(transaction, values, permissions))
  return written
}

async function keepClient(
  transaction: pg.ClientBase,
  values: Values,
  permissions: WantedPermissions
): Promise<void> {
  const theirs = await recordClients()
  const clientId = values.clientId as string
  await clientTasks().grantLater(transaction, clientId, permissions)
  await theirs.keep(transaction, ownerOf(values), clientId)
}

const ownerOf = ({ id, realmId }: Values) => ({ id: id as string, realmId: realmId as string })

export const clientTasks = (): ClientTasks => new ClientTasks(pools.for(databaseUrl('core')))

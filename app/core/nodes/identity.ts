import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { ClientIntents } from '#identity/lifecycle/client_intents'
import { ClientProvisioning } from '#identity/lifecycle/client_provisioning'
import type { IdentityProvider } from '#identity/provider'

import { ClientTasks } from './client_tasks.js'

let provisioning: ClientProvisioning | undefined

/** The provider of this process. It is there once the application is. */
export async function identityProvider(): Promise<IdentityProvider> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make('identity')
}

/** What gives records their clients. */
export async function clientProvisioning(): Promise<ClientProvisioning> {
  if (!provisioning) {
    const { default: logger } = await import('@adonisjs/core/services/logger')
    const intents = new ClientIntents(pools.for(databaseUrl('core')))
    provisioning = new ClientProvisioning({ provider: await identityProvider(), intents, logger })
  }
  return provisioning
}

export const clientTasks = (): ClientTasks => new ClientTasks(pools.for(databaseUrl('core')))

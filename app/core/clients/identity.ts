import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { IdentityProvider } from '#auth/provider'

import { ClientTasks } from './client_tasks.js'

/** The provider of this process. It is there once the application is. */
export async function identityProvider(): Promise<IdentityProvider> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make('identity')
}

export const clientTasks = (): ClientTasks => new ClientTasks(pools.for(databaseUrl('core')))

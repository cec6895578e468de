import app from '@adonisjs/core/services/app'

import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { serviceOrigin } from '#auth/service_origin'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'

import { driverOf } from './driver_of.js'
import { hookOf } from './hook.js'
import { HookSecrets } from './hook_secrets.js'
import { LinkKeeper } from './link_keeper.js'
import { RegistryLinks } from './registry_links.js'

export const corePool = () => pools.for(databaseUrl('core'))

export const registryLinks = () => new RegistryLinks(corePool())

export const hookSecrets = () => new HookSecrets(corePool())

/** What looks after registries in this process. */
export async function linkKeeper(): Promise<LinkKeeper> {
  const { default: logger } = await import('@adonisjs/core/services/logger')
  return new LinkKeeper({
    pool: corePool(),
    links: registryLinks(),
    projects: await app.container.make(RegistryProjectService),
    driverOf,
    hook: (registryId) => hookOf(hookSecrets(), registryId),
    origin: serviceOrigin,
    logger,
  })
}

import type { RegistryAccess, RegistryDriver } from './driver.js'
import { HarborDriver } from './drivers/harbor.js'
import { HarborApi } from './drivers/harbor_api.js'
import { NoDriver } from './drivers/none.js'

/** How a registry is looked after: as a Harbor where the platform has an account there, else not at all. */
export function driverOf({ host, accountName, accountSecret }: RegistryAccess): RegistryDriver {
  return accountName && accountSecret
    ? new HarborDriver(new HarborApi({ host, accountName, accountSecret }))
    : new NoDriver()
}

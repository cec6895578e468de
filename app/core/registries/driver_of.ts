import type { RegistryAccess, RegistryDriver } from './driver.js'
import { HarborDriver } from '#core/registries/drivers/harbor'
import { HarborApi } from '#core/registries/drivers/harbor_api'
import { NoDriver } from '#core/registries/drivers/none'

/** How a registry is looked after: as a Harbor where the platform has an account there, else not at all. */
export function driverOf({ host, accountName, accountSecret }: RegistryAccess): RegistryDriver {
  return accountName && accountSecret
    ? new HarborDriver(new HarborApi({ host, accountName, accountSecret }))
    : new NoDriver()
}

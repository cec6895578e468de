import type { RegistryAccess, RegistryDriver } from './registry_driver.js'
import { HarborDriver } from '#core/registries/drivers/harbor'
import { HarborApi } from '#core/registries/drivers/harbor_api'
import { HarborOrPlain } from '#core/registries/drivers/harbor_or_plain'
import { LocalImages } from '#core/registries/drivers/local_images'
import { NoDriver } from '#core/registries/drivers/none'
import { PlainRegistry } from '#core/registries/drivers/plain_registry'
import { LOCAL_IMAGES } from '#oci/local_host'

/** How a registry is looked after: not at all where the platform has no account there, else as what it turns out to be. */
export function createRegistryDriver(
  access: RegistryAccess,
  options: { readonly limitMs?: number } = {}
): RegistryDriver {
  const { host, accountName, accountSecret } = access
  if (host === LOCAL_IMAGES) {
    return new LocalImages()
  }
  if (!accountName || !accountSecret) {
    return new NoDriver()
  }
  const harbor = new HarborDriver(new HarborApi({ host, accountName, accountSecret }, options))
  return new HarborOrPlain(harbor, new PlainRegistry(access, options))
}

import type { RegistryAccess, RegistryDriver } from './registry_driver.js'
import { HarborDriver } from '#core/registries/drivers/harbor_driver'
import { HarborApi } from '#core/registries/drivers/harbor_api'
import { DetectingDriver } from '#core/registries/drivers/detecting_driver'
import { LocalImagesDriver } from '#core/registries/drivers/local_images_driver'
import { NullDriver } from '#core/registries/drivers/null_driver'
import { PlainRegistryDriver } from '#core/registries/drivers/plain_registry_driver'
import { LOCAL_IMAGES } from '#oci/local_host'

/** Creates the driver of a registry. Without an account of the platform, the registry is not managed. */
export function createRegistryDriver(
  access: RegistryAccess,
  options: { readonly limitMs?: number } = {}
): RegistryDriver {
  const { host, accountName, accountSecret } = access
  if (host === LOCAL_IMAGES) {
    return new LocalImagesDriver()
  }
  if (!accountName || !accountSecret) {
    return new NullDriver()
  }
  const harbor = new HarborDriver(new HarborApi({ host, accountName, accountSecret }, options))
  return new DetectingDriver(harbor, new PlainRegistryDriver(access, options))
}

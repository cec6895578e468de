import { registry } from '#core/registries/registry'
import { RegistryService } from '#core/registries/registry_service'
import { lazyService } from '#records/services'

export const registries = lazyService('core', registry, RegistryService)

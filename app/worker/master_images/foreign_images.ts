import { ImageNameInvalid } from '#oci/errors'
import { parseImageName } from '#oci/image_names'
import type { ImageStore } from '#oci/image_store'
import type { ImageLocations } from '#worker/images/image_locations'
import type { Platform } from '#worker/platform/platform'

/** The registry of image names without a host. */
const DEFAULT_HOST = 'docker.io'
const HOSTS: Readonly<Record<string, string>> = { [DEFAULT_HOST]: 'registry-1.docker.io' }

/** An ID that no registry of the platform has. */
const UNKNOWN_REGISTRY_ID = '00000000-0000-0000-0000-000000000000'

export interface ForeignImage {
  readonly store: ImageStore
  readonly repository: string
  readonly reference: string
}

/** Parses `registry.example.org/python/base:3.12`. Without a host, the image is on Docker Hub. */
function parseReference(text: string): {
  readonly host: string
  readonly repository: string
  readonly reference: string
} {
  const slash = text.indexOf('/')
  const first = text.slice(0, Math.max(slash, 0))
  const hasHost = /[.:]/.test(first) || first === 'localhost'
  if (slash === 0 || text.includes('://')) {
    throw new ImageNameInvalid(`${JSON.stringify(text.slice(0, 200))} is not an image reference`)
  }
  const host = hasHost ? first : DEFAULT_HOST
  const rest = hasHost ? text.slice(slash + 1) : text
  const image = parseImageName(
    rest.includes('/') || host !== DEFAULT_HOST ? rest : `library/${rest}`
  )
  return { host: HOSTS[host] ?? host, ...image }
}

/** Images of any registry. Uses the account of the platform if it knows the registry, otherwise none. */
export class ForeignImages {
  readonly #locations: ImageLocations
  readonly #platform: Platform

  constructor(locations: ImageLocations, platform: Platform) {
    this.#locations = locations
    this.#platform = platform
  }

  async at(text: string): Promise<ForeignImage> {
    const { host, repository, reference } = parseReference(text)
    const registries = await this.#platform.registries()
    const registry = registries.find((one) => one.host === host) ?? {
      id: UNKNOWN_REGISTRY_ID,
      host,
    }
    const { store } = await this.#locations.of(registry)
    return { store, repository, reference }
  }
}

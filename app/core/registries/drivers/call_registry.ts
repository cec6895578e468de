import { RegistryFailure } from '#core/registries/registry_driver'
import { parseHost, type HostRules } from '#core/registries/host_rules'
import { HostNotAllowed } from '#oci/errors'
import { sendRequest, type RegistryResponse, type RegistryRequest } from './registry_http.js'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** Plain text is allowed on the loopback interface only, where registries rarely have a certificate. */
export function baseUrlOf(host: string): URL {
  const url = parseHost(host)
  if (!url) {
    throw new RegistryFailure('The host of the registry is invalid', true)
  }
  const scheme = LOOPBACK.test(url.hostname) ? 'http' : 'https'
  return new URL(`${scheme}://${host}/`)
}

/** Sends a request to a registry, and turns any error into a `RegistryFailure`. */
export async function callRegistry(
  operation: string,
  request: RegistryRequest,
  rules: HostRules
): Promise<RegistryResponse> {
  try {
    return await sendRequest(request, rules)
  } catch (error) {
    const problem =
      error instanceof HostNotAllowed
        ? `The registry was not called: ${error.message}`
        : `The registry did not respond to ${operation}`
    throw new RegistryFailure(problem, true, { cause: error })
  }
}

import { RegistryFailure } from '#core/registries/registry_driver'
import { parseHost, type HostRules } from '#core/registries/host_rules'
import { HostNotAllowed } from '#oci/errors'
import { sendRequest, type RegistryResponse, type RegistryRequest } from './registry_http.js'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** Never in plain text over a network; registries on this machine seldom have a certificate. */
export function baseUrlOf(host: string): URL {
  const url = parseHost(host)
  if (!url) {
    throw new RegistryFailure('The registry has no host that can be called', true)
  }
  const scheme = LOOPBACK.test(url.hostname) ? 'http' : 'https'
  return new URL(`${scheme}://${host}/`)
}

/** Calls a registry; what keeps it from answering is a failure of the registry. */
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
        ? `The registry was not asked: ${error.message}`
        : `The registry did not answer ${operation}`
    throw new RegistryFailure(problem, true, { cause: error })
  }
}

import { request as requestInClear, type IncomingMessage } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { lookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'

import { hostRules, parseHost, type HostRules } from '#core/registries/host_rules'
import { readBounded } from '#kernel/read_bounded'
import { HostNotAllowed } from '#oci/errors'
import type { OutboundGuard } from '#oci/registry/connections'

const MAX_RESPONSE_BYTES = 1024 * 1024

export interface RegistryRequest {
  readonly url: URL
  /** The host as configured, with the port if it has one. */
  readonly host: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
  readonly limitMs: number
}

export interface RegistryResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/**
 * Sends a request to a registry. Each address that its name resolves to is checked. Redirects are not followed, and cookies
 * are not stored.
 */
export function sendRequest(
  { url, host, method, headers, body, limitMs }: RegistryRequest,
  rules: HostRules
): Promise<RegistryResponse> {
  requireReachable(rules, host, [hostnameOf(url)])
  const request = url.protocol === 'https:' ? requestSecurely : requestInClear
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      headers: { ...headers, 'content-length': Buffer.byteLength(body ?? '') },
      agent: false,
      signal: AbortSignal.timeout(limitMs),
      lookup: guardedLookup(rules, host),
      rejectUnauthorized: !rules.isInsecure(host),
    })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => void readResponse(response).then(resolve, reject))
    outgoing.end(body)
  })
}

async function readResponse(response: IncomingMessage): Promise<RegistryResponse> {
  const tooLarge = () => new RangeError(`The response is longer than ${MAX_RESPONSE_BYTES} bytes`)
  const body = await readBounded(response, MAX_RESPONSE_BYTES, tooLarge)
  return { status: response.statusCode!, headers: response.headers, text: body.toString() }
}

/** A guard that allows requests to the registry only, and no redirects to other hosts. */
export function guardRegistry(host: string, rules: HostRules = hostRules()): OutboundGuard {
  const name = parseHost(host)?.host
  return {
    requireAllowed(url) {
      if (url.host !== name) {
        throw new HostNotAllowed(`${host} redirects to another host, which is not allowed`)
      }
      requireReachable(rules, host, [hostnameOf(url)])
    },
    lookupFor: () => guardedLookup(rules, host),
  }
}

/** A guard that allows redirects, to blob stores and token services. The same rules apply to each host. */
export function guardRedirects(host: string, rules: HostRules = hostRules()): OutboundGuard {
  const name = parseHost(host)?.host
  const hostOf = (url: URL) => (url.host === name ? host : url.host)
  return {
    requireAllowed: (url) => requireReachable(rules, hostOf(url), [hostnameOf(url)]),
    lookupFor: (url) => guardedLookup(rules, hostOf(url)),
  }
}

/** Connects to the addresses that were checked. A second lookup could return others. */
function guardedLookup(rules: HostRules, host: string): LookupFunction {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) {
        return callback(error, '', 0)
      }
      try {
        requireReachable(
          rules,
          host,
          addresses.map(({ address }) => address)
        )
      } catch (refusal) {
        return callback(refusal as Error, '', 0)
      }
      const [first] = addresses
      return options.all ? callback(null, addresses) : callback(null, first!.address, first!.family)
    })
  }
}

function requireReachable(rules: HostRules, host: string, addresses: readonly string[]): void {
  const problem = [
    rules.findRefusal(host),
    ...addresses.filter(isIP).map((address) => rules.findRefusal(host, address)),
  ].find((found) => found !== undefined)
  if (problem !== undefined) {
    throw new HostNotAllowed(problem)
  }
}

const hostnameOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

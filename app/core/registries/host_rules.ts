import { BlockList, isIP } from 'node:net'

import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { LOCAL_IMAGES } from '#oci/local_host'
import { coreSettings, type HostRulesOptions } from '#core/core_settings'

const HTTPS_PORT = 443
const SHAPE = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i
const LOOPBACK_NAME = /^(.+\.)?(localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/

/** Loopback, private, multicast and unspecified addresses, and the IPv6 forms of those of IPv4. */
const PRIVATE_NETWORKS = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE_NETWORKS.addSubnet(net, prefix, 'ipv4')
}
for (const [net, prefix] of [
  ['::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['64:ff9b:1::', 48],
  ['64:ff9b::', 104],
  ['64:ff9b::a00:0', 104],
  ['64:ff9b::6440:0', 106],
  ['64:ff9b::7f00:0', 104],
  ['64:ff9b::a9fe:0', 112],
  ['64:ff9b::ac10:0', 108],
  ['64:ff9b::c0a8:0', 112],
  ['2002:a00::', 24],
  ['2002:6440::', 26],
  ['2002:7f00::', 24],
  ['2002:a9fe::', 32],
  ['2002:ac10::', 28],
  ['2002:c0a8::', 32],
] as const) {
  PRIVATE_NETWORKS.addSubnet(net, prefix, 'ipv6')
}

/**
 * The hosts that registries may have. They are checked when a registry is written and at each request, since a name may
 * resolve to another address by then.
 */
export class HostRules {
  readonly #options: HostRulesOptions

  constructor(options: HostRulesOptions) {
    this.#options = options
  }

  isInsecure(host: string): boolean {
    return this.#options.insecure.includes(host.toLowerCase())
  }

  /** Returns why a host, or an address of it, is not allowed; undefined if it is. The image folder is always allowed. */
  findRefusal(host: string, address?: string): string | undefined {
    const { allowed, configured, isStrict } = this.#options
    if (host === LOCAL_IMAGES) {
      return undefined
    }
    const isListed = [...configured, ...(allowed ?? [])].includes(host.toLowerCase())
    if (isListed) {
      return undefined
    }
    if (allowed !== undefined) {
      return 'REGISTRY_HOSTS does not list this host'
    }
    return isStrict ? this.#findStrictRefusal(host, address) : undefined
  }

  #findStrictRefusal(host: string, address: string | undefined): string | undefined {
    const url = parseHost(host)
    const name = address ?? url?.hostname.replace(/^\[|\]$|\.$/g, '') ?? ''
    if (LOOPBACK_NAME.test(name) || isPrivateAddress(name)) {
      return 'The host is on this machine or in a private network: list it in REGISTRY_HOSTS'
    }
    const port = Number(url?.port || HTTPS_PORT)
    if (port !== HTTPS_PORT && this.#options.ownPorts.includes(port)) {
      return 'The platform itself uses this port: list the host in REGISTRY_HOSTS'
    }
    return undefined
  }
}

function isPrivateAddress(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && PRIVATE_NETWORKS.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a text is a host, with or without a port. */
export const isHostAndPort = (text: string): boolean => parseHost(text) !== undefined

/** Parses a host with or without a port. Returns undefined if the text is anything else. */
export function parseHost(host: string): URL | undefined {
  return SHAPE.test(host) ? (URL.parse(`https://${host}/`) ?? undefined) : undefined
}

/** The rules of this installation. */
export const hostRules = (): HostRules => new HostRules(coreSettings().registryHosts)

/** Throws if the rules do not allow the host. */
export function requireHost(host: unknown, rules: HostRules = hostRules()): void {
  const problem = typeof host === 'string' ? rules.findRefusal(host) : undefined
  if (problem !== undefined) {
    throw BadRequest.attribute(issue('value_invalid', ['host'], problem))
  }
}

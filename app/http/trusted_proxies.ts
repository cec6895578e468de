import { BlockList, isIP, isIPv6 } from 'node:net'

import type { Env } from '#configuration/variables'

const NAMED_RANGES: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Returns a predicate for the addresses of proxies whose forwarding headers are trusted. */
export function trustedProxies(entries: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList()
  for (const range of entries.flatMap((entry) => NAMED_RANGES[entry] ?? [entry])) {
    const [network = '', bits] = range.split('/')
    const family = isIPv6(network) ? 'ipv6' : 'ipv4'
    trusted.addSubnet(
      network,
      bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits),
      family
    )
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
    return trusted.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
  }
}

/** Where connections of a machine to itself come from, unless they choose another. */
const OWN_ADDRESSES = ['127.0.0.1', '::1']

/** From where the console of this process calls its services, and says who sits at the browser. */
export function consoleAddresses({ SURFACES, HOST }: Pick<Env, 'SURFACES' | 'HOST'>): string[] {
  if (!SURFACES.includes('console')) {
    return []
  }
  return isIP(HOST) === 0 ? OWN_ADDRESSES : [...OWN_ADDRESSES, HOST]
}

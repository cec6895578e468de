import { isIPv6 } from 'node:net'

const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * The rate limit key of an address: an IPv4 address itself, or the /64 network of an IPv6 address, which has a single
 * owner.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) {
    return address
  }
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : GROUPS - before.length - after.length
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

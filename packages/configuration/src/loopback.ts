import { isIP } from 'node:net'

/** Whether a host of a URL, or of HOST, is the loopback interface. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return isIP(name) === 4
    ? name.startsWith('127.')
    : name === '::1' || name === 'localhost' || name.endsWith('.localhost')
}

const URL_PARTS = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]*)(.*)$/is

/**
 * The URLs with one host each that a URL with several hosts, separated by commas, stands for. User, password, path and
 * parameters are the same in all of them.
 */
export function urlsByHost(text: string): string[] {
  const [, protocol, authority, rest] = URL_PARTS.exec(text.trim()) ?? []
  if (protocol === undefined || authority === undefined) {
    return [text.trim()]
  }
  const startOfHosts = authority.lastIndexOf('@') + 1
  const account = authority.slice(0, startOfHosts)
  const hosts = authority.slice(startOfHosts).split(',')
  return hosts.map((host) => `${protocol}${account}${host.trim()}${rest}`)
}

/** A host of a server, and its port. */
export interface HostAddress {
  readonly host: string
  readonly port: number
}

/** Finds which of the hosts that an address names serves now. */
export interface HostResolver {
  /** The host that new connections go to; undefined while none is known to serve. */
  readonly current: HostAddress | undefined
  /** Reports that a host failed or refused. It is left if another one serves. */
  suspect(host: HostAddress): void
}

export const isSameHost = (one: HostAddress | undefined, other: HostAddress): boolean =>
  one?.host === other.host && one.port === other.port

/** For messages and logs: `host:port`. */
export const hostText = ({ host, port }: HostAddress): string => `${host}:${port}`

/** The host that a URL with one host names; without a port it is the usual one. */
export function hostOf(url: string, usualPort: number): HostAddress {
  const { hostname, port } = new URL(url)
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(port) || usualPort }
}

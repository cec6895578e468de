import type { RedisOptions } from 'ioredis'

import { urlsByHost } from '#configuration/urls_by_host'
import { jitteredBackoff } from '#kernel/backoff'
import { hostOf } from '#kernel/host_resolver'

const SENTINEL_PORT = 26_379
/** For each sentinel, and for the server that they name. */
const TIMEOUT_MS = 2_000
const BACKOFF = { firstMs: 200, longestMs: 2_000 }

/**
 * How to connect through the sentinels of a `redis+sentinel://` URL; undefined for the URL of a server. The client asks
 * them for the master at each connection attempt, and leaves a server that says that it is a replica.
 */
export function sentinelOptions(url: string): RedisOptions | undefined {
  const [address, ...others] = urlsByHost(url).map((each) => new URL(each))
  if (!/^rediss?\+sentinel:$/.test(address!.protocol)) {
    return undefined
  }
  const { username, password, pathname, searchParams, protocol } = address!
  return {
    sentinels: [address!, ...others].map(({ href }) => hostOf(href, SENTINEL_PORT)),
    name: decodeURIComponent(pathname.slice(1)),
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    db: Number(searchParams.get('db')),
    sentinelUsername: searchParams.get('sentinel_username') ?? undefined,
    sentinelPassword: searchParams.get('sentinel_password') ?? undefined,
    connectTimeout: TIMEOUT_MS,
    sentinelCommandTimeout: TIMEOUT_MS,
    sentinelRetryStrategy: (attempt) => jitteredBackoff(attempt, BACKOFF),
    ...(protocol.startsWith('rediss') && {
      tls: {},
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
    }),
  }
}

import type { Reader } from './catalogue.js'
import { InvalidValueError } from './configuration_error.js'
import { urlsByHost } from './urls_by_host.js'

/** The host and account of a Harbor registry. */
export interface HarborAccess {
  readonly host: string
  readonly accountName: string
  readonly accountSecret: string
}

/** A connection string with one of the protocols. It may contain credentials and is not changed. */
export function connectionUrl(...protocols: readonly string[]): Reader<string> {
  return {
    type: `a URL that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    quotable: false,
    read(value) {
      const url = parse(value, protocols)
      if (url.hostname === '' && !url.searchParams.has('host')) {
        throw new InvalidValueError('has no host')
      }
      return value.trim()
    },
  }
}

/** Like `connectionUrl`, for servers of which several may be named, separated by commas. */
export function serversUrl(...protocols: readonly string[]): Reader<string> {
  const single = connectionUrl(...protocols)
  return {
    ...single,
    type: `${single.type}; several hosts are separated by commas`,
    read(value) {
      const urls = urlsByHost(value)
      if (urls.length > 1 && urls.some(isWithoutHost)) {
        throw new InvalidValueError('has an empty host between commas')
      }
      urls.forEach((url) => single.read(url))
      return value.trim()
    },
  }
}

/** PostgreSQL servers. Of several hosts, the one that accepts writes is used. */
export function databaseServers(): Reader<string> {
  const servers = serversUrl('postgres', 'postgresql')
  return {
    ...servers,
    read(value) {
      const text = servers.read(value)
      const [url, ...others] = urlsByHost(text)
      const wanted = new URL(url!).searchParams.get('target_session_attrs') ?? 'read-write'
      if (others.length > 0 && wanted !== 'read-write') {
        throw new InvalidValueError('names several hosts, and sessions that do not write', {
          allowed: 'set target_session_attrs to read-write, or omit it',
        })
      }
      return text
    },
  }
}

const SENTINEL_PARAMETERS = ['db', 'sentinel_username', 'sentinel_password']

/** A Redis server, or the sentinels that know it. */
export function redisServers(): Reader<string> {
  const server = connectionUrl('redis', 'rediss')
  const sentinels = serversUrl('redis+sentinel', 'rediss+sentinel')
  return {
    ...server,
    type: `${server.type}, or redis+sentinel://host:26379,host:26379/name with the sentinels of a server`,
    read(value) {
      if (/^rediss?\+sentinel:/i.test(value.trim())) {
        return readSentinels(sentinels.read(value))
      }
      if (urlsByHost(value).length > 1) {
        throw new InvalidValueError('names several hosts without sentinels')
      }
      return server.read(value)
    },
  }
}

function readSentinels(text: string): string {
  const { pathname, searchParams } = new URL(urlsByHost(text)[0]!)
  if (!/^\/[^/]+$/.test(pathname)) {
    throw new InvalidValueError('names no server', {
      allowed: 'end it with the name that the sentinels have for the server, such as /hub',
    })
  }
  if ([...searchParams.keys()].some((key) => !SENTINEL_PARAMETERS.includes(key))) {
    throw new InvalidValueError('has an unknown parameter', {
      allowed: `the parameters are ${SENTINEL_PARAMETERS.join(', ')}`,
    })
  }
  if (!/^\d*$/.test(searchParams.get('db') ?? '')) {
    throw new InvalidValueError('has a db that is not a number')
  }
  return text
}

const isWithoutHost = (url: string): boolean => /^[^:]*:\/\/([^/?#]*@)?(:\d*)?([/?#]|$)/.test(url)

/** The base URL of an HTTP service, without a trailing slash. */
export function baseUrl(): Reader<string> {
  return {
    type: 'a URL that starts with http:// or https://, without credentials, query or fragment',
    quotable: false,
    read(value) {
      const url = parse(value, ['http', 'https'])
      if (url.username || url.password) {
        throw new InvalidValueError('contains credentials')
      }
      if (/[?#]/.test(value)) {
        throw new InvalidValueError('contains a query or a fragment')
      }
      return value.trim().replace(/\/+$/, '')
    },
  }
}

/** `user:password@host`; the password is literal and may contain `:` and `@`. */
export function harborAccess(): Reader<HarborAccess> {
  return {
    type: 'text of the form user:password@host or user:password@host:port',
    quotable: false,
    read(value) {
      const [, accountName, accountSecret, host] =
        /^(?:https:\/\/)?([^:]+):(?!\/\/)(.+)@([\w.-]+(?::\d{1,5})?)\/?$/.exec(value.trim()) ?? []
      if (!accountName || !accountSecret || !host) {
        throw new InvalidValueError('does not have this form')
      }
      return { host, accountName, accountSecret }
    },
  }
}

function parse(value: string, protocols: readonly string[]): URL {
  const protocol = /^([a-z][a-z\d+.-]*):\/\//i.exec(value.trim())?.[1]?.toLowerCase()
  if (protocol === undefined) {
    throw new InvalidValueError('is not a URL')
  }
  if (!protocols.includes(protocol)) {
    throw new InvalidValueError('has an unsupported protocol')
  }
  const url = URL.parse(value.trim())
  if (url === null) {
    throw new InvalidValueError(
      'is not a URL (special characters in a password must be percent-encoded)'
    )
  }
  return url
}

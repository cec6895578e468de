import type { Reader } from './catalogue.js'
import { InvalidValueError } from './configuration_error.js'

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

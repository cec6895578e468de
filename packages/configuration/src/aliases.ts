import { isIP } from 'node:net'
import type { Alias, Source } from './catalogue.js'
import { isSet } from './catalogue.js'
import { InvalidValueError } from './configuration_error.js'

/** An older connection string whose value `true` means a server on this machine. */
export function connectionAlias(name: string, local: string): Alias {
  return {
    names: [name],
    description: `The value \`true\` means \`${local}\`.`,
    text: (source) => (source[name]?.trim().toLowerCase() === 'true' ? local : source[name]),
  }
}

const MINIO = 'MINIO_CONNECTION_STRING'
const S3_NAMES = ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY']

/**
 * One part of `http(s)://accessKey:secretKey@host:port`. Ignored if any of the new names is set, so that
 * the keys of one server are not sent to another.
 */
export function minioPart(part: 'endpoint' | 'accessKey' | 'secretKey'): Alias {
  return {
    names: [MINIO],
    description:
      'Has the form `http(s)://accessKey:secretKey@host:port` with percent-encoded keys, and is ' +
      `read only while none of ${S3_NAMES.map((name) => `\`${name}\``).join(', ')} is set.`,
    text(source) {
      if (!isSet(source, MINIO) || S3_NAMES.some((name) => isSet(source, name))) {
        return undefined
      }
      return minioParts(source[MINIO] ?? '')[part]
    },
  }
}

function minioParts(value: string) {
  const url = URL.parse(value.trim())
  if (!url || !/^https?:\/\//i.test(value.trim()) || !url.username || !url.password) {
    throw new InvalidValueError('does not have the expected form', {
      subject: MINIO,
      allowed: 'http(s)://accessKey:secretKey@host:port with percent-encoded keys',
    })
  }
  return {
    endpoint: url.origin,
    accessKey: decoded(url.username, MINIO),
    secretKey: decoded(url.password, MINIO),
  }
}

function decoded(text: string, subject: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new InvalidValueError('is not percent-encoded correctly', {
      subject,
      allowed: 'write % as %25',
    })
  }
}

const DB_NAMES = ['DB_TYPE', 'DB_HOST', 'DB_PORT', 'DB_USERNAME', 'DB_PASSWORD', 'DB_DATABASE']

/** A database in separate variables. */
export const databaseParts: Alias = {
  names: DB_NAMES,
  description:
    'Are combined if `DB_TYPE` is `postgres`; `DB_USERNAME` and `DB_DATABASE` are needed, ' +
    '`DB_HOST` is `127.0.0.1` and `DB_PORT` `5432` where unset.',
  text(source) {
    if (!DB_NAMES.some((name) => isSet(source, name))) {
      return undefined
    }
    if (source.DB_TYPE?.trim() !== 'postgres') {
      throw new InvalidValueError(
        isSet(source, 'DB_TYPE') ? 'is not postgres' : 'is missing beside other DB_ names',
        {
          subject: 'DB_TYPE',
          allowed: 'only PostgreSQL is supported: set it to postgres, or set DATABASE_URL instead',
        }
      )
    }
    const user = encodeURIComponent(required(source, 'DB_USERNAME'))
    const database = encodeURIComponent(required(source, 'DB_DATABASE'))
    const password = source.DB_PASSWORD ? `:${encodeURIComponent(source.DB_PASSWORD)}` : ''
    return `postgres://${user}${password}@${hostOf(source)}:${portOf(source)}/${database}`
  },
}

function required(source: Source, name: string): string {
  if (isSet(source, name)) {
    return source[name] ?? ''
  }
  throw new InvalidValueError('is missing beside DB_TYPE', {
    subject: name,
    allowed: 'set it, or set DATABASE_URL instead',
  })
}

function hostOf(source: Source): string {
  const host = isSet(source, 'DB_HOST') ? (source.DB_HOST ?? '').trim() : '127.0.0.1'
  if (!/^[\w.:-]+$/.test(host)) {
    throw new InvalidValueError('is not a host', {
      subject: 'DB_HOST',
      allowed: 'a host name or an IP address',
    })
  }
  return isIP(host) === 6 ? `[${host}]` : host
}

function portOf(source: Source): number {
  const port = Number(isSet(source, 'DB_PORT') ? source.DB_PORT : 5432)
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new InvalidValueError('is not a port', {
      subject: 'DB_PORT',
      allowed: 'an integer from 1 to 65535',
    })
  }
  return port
}

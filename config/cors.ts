import type { IncomingHttpHeaders } from 'node:http'

import { defineConfig } from '@adonisjs/cors'
import type { CorsConfig } from '@adonisjs/cors/types'

import { env } from '#start/env'

const LOOPBACK = /^https?:\/\/(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** Whether pages of an origin may send credentials. */
export function isTrusted(origin: string): boolean {
  return env.CORS_ORIGINS.length > 0
    ? env.CORS_ORIGINS.includes(origin)
    : env.NODE_ENV !== 'production' && LOOPBACK.test(origin)
}

const shared = defineConfig({
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  headers: true,
  maxAge: 0,
  exposeHeaders: [
    'ratelimit-limit',
    'ratelimit-remaining',
    'ratelimit-reset',
    'retry-after',
    'etag',
    'content-disposition',
    'content-range',
    'accept-ranges',
    'location',
    'www-authenticate',
    'x-request-id',
    'x-dropped-keys',
    'x-bucket-file-id',
    'tus-resumable',
    'tus-version',
    'tus-extension',
    'tus-max-size',
    'tus-checksum-algorithm',
    'upload-offset',
    'upload-length',
    'upload-defer-length',
    'upload-metadata',
    'upload-expires',
  ],
})

/** For origins that may send credentials: the configured ones, else those of this machine outside production. */
export const withCredentials: CorsConfig = {
  ...shared,
  origin: true,
  credentials: true,
}

/** For all other origins: without configured origins, any may read public resources. */
export const withoutCredentials: CorsConfig = {
  ...shared,
  origin: env.CORS_ORIGINS.length > 0 ? [...env.CORS_ORIGINS] : '*',
  credentials: false,
}

/** The same rules for socket.io, per request. */
export function corsOfSockets(
  { headers }: { headers: IncomingHttpHeaders },
  answer: (error: null, options: { origin: true | '*' | string[]; credentials: boolean }) => void
): void {
  const { origin, credentials } = isTrusted(headers.origin ?? '')
    ? withCredentials
    : withoutCredentials
  answer(null, { origin: origin as true | '*' | string[], credentials })
}

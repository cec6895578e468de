import { defineConfig } from '@adonisjs/cors'

import { env } from '#start/env'

const isOpenProduction = env.NODE_ENV === 'production' && env.CORS_ORIGINS.length === 0

/**
 * Named origins only, where some are named. Without names any origin may read, in production without credentials.
 */
export default defineConfig({
  origin: env.CORS_ORIGINS.length > 0 ? [...env.CORS_ORIGINS] : isOpenProduction ? '*' : true,
  credentials: !isOpenProduction,
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

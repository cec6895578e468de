import { defineConfig } from '@adonisjs/core/logger'

import { loggableError } from '#observability/loggable_error'
import { env } from '#start/env'

const SECRET_KEYS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'accountSecret',
  'access_token',
  'refresh_token',
  'client_secret',
]

export default defineConfig({
  default: 'app',
  loggers: {
    app: {
      enabled: true,
      name: 'analysis-hub',
      level: env.LOG_LEVEL,
      serializers: { err: (error: unknown) => loggableError(error) },
      redact: {
        paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
        censor: '[redacted]',
      },
    },
  },
})

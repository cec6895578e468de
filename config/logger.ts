import { defineConfig } from '@adonisjs/core/logger'

import { loggableError } from '#observability/loggable_error'
import { withoutSecrets } from '#observability/without_secrets'
import { env } from '#start/env'

export default defineConfig({
  default: 'app',
  loggers: {
    app: {
      enabled: true,
      name: 'analysis-hub',
      level: env.LOG_LEVEL,
      serializers: { err: (error: unknown) => loggableError(error) },
      formatters: { log: withoutSecrets },
    },
  },
})

import { defineConfig, destination } from '@adonisjs/core/logger'

import { loggableError } from '#observability/loggable_error'
import { traceLogFields } from '#tracing/tracing'
import { LEVEL_NUMBERS, LogTap } from '#observability/log_tap'
import { TerminalLines } from '#observability/terminal_lines'
import { withoutSecrets } from '#observability/without_secrets'
import { env } from '#start/env'

const { LOG_SHIP_LEVEL, OTEL_EXPORTER_OTLP_ENDPOINT } = env

/** Passes log lines to telemetry. */
export const logTap = new LogTap(
  LOG_SHIP_LEVEL === 'off' ? Infinity : LEVEL_NUMBERS[LOG_SHIP_LEVEL],
  process.stdout.isTTY ? new TerminalLines(process.stdout) : destination(1)
)

export default defineConfig({
  default: 'app',
  loggers: {
    app: {
      enabled: true,
      name: 'analysis-hub',
      level: env.LOG_LEVEL,
      destination: logTap,
      serializers: { err: (error: unknown) => loggableError(error) },
      formatters: { log: withoutSecrets },
      ...(OTEL_EXPORTER_OTLP_ENDPOINT && { mixin: traceLogFields }),
    },
  },
})

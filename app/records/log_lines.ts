import type { Parameter } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { MAX_OFFSET } from '#query/log_query'

export const LOG_LEVELS = [
  'emerg',
  'alert',
  'crit',
  'error',
  'warn',
  'notice',
  'info',
  'debug',
] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const LOG_CHANNELS = ['http', 'websocket', 'background', 'system'] as const
export type LogChannel = (typeof LOG_CHANNELS)[number]

/** The schema of a log line in every API. */
export const LOG_LINE = {
  type: 'object',
  required: ['time', 'message', 'level', 'service', 'channel', 'labels'],
  properties: {
    time: { type: 'string', format: 'date-time' },
    message: { type: 'string' },
    level: { enum: [...LOG_LEVELS] },
    service: { type: 'string' },
    channel: { enum: [...LOG_CHANNELS] },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
}

/** The sort and page parameters of log queries. */
export function logPageParameters(maxLimit: number): readonly Parameter[] {
  return [
    {
      name: 'sort',
      description: '`time` sorts by ascending time; the default is `-time`, the newest first',
      schema: { type: 'string' },
    },
    {
      name: 'page[limit]',
      description: `Lines per page, at most ${maxLimit}`,
      schema: { type: 'integer', minimum: 1 },
    },
    {
      name: 'page[offset]',
      description: `Number of lines to skip, at most ${MAX_OFFSET}; negative values count as 0`,
      schema: { type: 'integer', maximum: MAX_OFFSET },
    },
  ]
}

/** The filter parameter of log queries; it is required, since a query without it would match every line. */
export function logFilterParameter(description: string, expression: JsonSchema, keys: JsonSchema) {
  return {
    name: 'filter',
    required: true,
    description,
    schema: {
      oneOf: [
        { type: 'string', minLength: 1, ...expression },
        { type: 'object', minProperties: 1, ...keys },
      ],
    },
  } satisfies Parameter
}

import { OR_STREAMED } from '#http/event_stream'
import type { Operation } from '#http/surface'
import { logFilterParameter, LOG_LINE, logPageParameters } from '#records/log_lines'
import { LABEL_NAME } from '#query/label_name'
import { LOG_PAGE_LIMIT } from '#query/log_query'
import { logBody } from './log_body.js'
import { LOG_ACCESS } from './log_service.js'

const FILTER = logFilterParameter(
  "Labels of lines, at least one: `filter[refId]=value`, or one expression such as `and(eq(refType,'node'),not(eq(level,'debug')))`. `level`, `channel` and `service` filter like labels, `time` with `>`, `>=`, `<`, `<=`; a time without operator is the start",
  {},
  {
    propertyNames: { pattern: LABEL_NAME.pattern },
    additionalProperties: { type: 'string', pattern: '^[A-Za-z0-9]' },
    not: { required: ['time'], maxProperties: 1 },
  }
)

const REPORTED_LINE = {
  ...LOG_LINE,
  properties: {
    ...LOG_LINE.properties,
    reportedBy: {
      type: 'object',
      description: 'The reporter of the line, as recorded by the hub; missing in older lines',
      properties: {
        id: { type: ['string', 'null'] },
        realmId: { type: ['string', 'null'] },
        type: { type: 'string' },
      },
    },
  },
}

export const createLog: Operation = {
  name: 'createLog',
  summary: 'Write a log line',
  access: LOG_ACCESS.create,
  body: logBody,
  responses: {
    201: {
      description: 'The stored log line',
      schema: {
        type: 'object',
        required: ['data', 'meta'],
        properties: { data: REPORTED_LINE, meta: { type: 'object', maxProperties: 0 } },
      },
    },
  },
}

export const listLogs: Operation = {
  name: 'listLogs',
  summary: `List the log lines that match the filter, the newest first${OR_STREAMED}`,
  access: LOG_ACCESS.read,
  query: [FILTER, ...logPageParameters(LOG_PAGE_LIMIT)],
  responses: {
    200: {
      description: 'One page of log lines; `meta.total` is the number of all that match',
      schema: {
        type: 'object',
        required: ['data', 'meta'],
        properties: {
          data: { type: 'array', items: REPORTED_LINE },
          meta: {
            type: 'object',
            required: ['total', 'limit', 'offset'],
            additionalProperties: false,
            properties: {
              total: { type: 'integer' },
              limit: { type: 'integer' },
              offset: { type: 'number' },
            },
          },
        },
      },
    },
  },
}

export const deleteLogs: Operation = {
  name: 'deleteLogs',
  summary: 'Delete the log lines that match the filter',
  access: LOG_ACCESS.remove,
  query: [FILTER],
  responses: {
    202: { description: 'The log lines are deleted', schema: { type: 'null' } },
  },
}

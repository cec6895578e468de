import { analysisNodeLogBody } from './analysis_log.js'
import { LOG_ACCESS } from './analysis_log_service.js'
import { LINES_PER_PAGE, type LogSubject } from './log_subject.js'
import { OR_STREAMED } from '#http/event_stream'
import type { Operation } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { logFilterParameter, LOG_LINE, logPageParameters } from '#records/log_lines'

const LIST_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: { type: 'array', items: LOG_LINE },
    meta: {
      type: 'object',
      required: ['total', 'limit', 'offset', 'schema'],
      properties: {
        total: { type: 'integer' },
        limit: { type: 'integer' },
        offset: { type: 'number' },
        schema: { type: 'object' },
      },
    },
  },
}

const CREATED_SCHEMA: JsonSchema = {
  ...LOG_LINE,
  required: [...LOG_LINE.required, 'data', 'meta'],
  properties: {
    ...LOG_LINE.properties,
    data: LOG_LINE,
    meta: { type: 'object', maxProperties: 0 },
  },
}

export const CREATE_NODE_LOG: Operation = {
  name: 'createAnalysisNodeLog',
  summary: 'Write a log line of an analysis at a node',
  access: LOG_ACCESS.create,
  body: analysisNodeLogBody,
  responses: {
    202: {
      description: 'The log line, both under `data` and at the top level',
      schema: CREATED_SCHEMA,
    },
  },
}

export function describeList({ phrase, vocabulary, requiredLabels }: LogSubject): Operation {
  return {
    name: `list${capitalised(vocabulary.name)}`,
    summary: `List the log lines ${phrase}, newest first${OR_STREAMED}`,
    access: LOG_ACCESS.read,
    query: [filterWithNames(requiredLabels), ...logPageParameters(LINES_PER_PAGE)],
    responses: {
      200: {
        description: 'One page of log lines; `meta.total` is the number of all that match',
        schema: LIST_SCHEMA,
      },
    },
  }
}

export function describeRemoval({ phrase, vocabulary, requiredLabels }: LogSubject): Operation {
  return {
    name: `delete${capitalised(vocabulary.name)}`,
    summary: `Delete the log lines ${phrase}`,
    access: LOG_ACCESS.remove,
    query: [filterWithNames(requiredLabels)],
    responses: { 202: { description: 'The lines are deleted', schema: { type: 'null' } } },
  }
}

/** A filter expression has to contain the names as well. */
function filterWithNames(names: readonly string[]) {
  const all = names.map((name) => `\`${name}\``).join(' and ')
  return logFilterParameter(
    `Labels of the lines, compared for equality; required: ${all}`,
    { allOf: names.map((pattern) => ({ pattern })) },
    {
      required: names,
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string', minLength: 1 }])),
    }
  )
}

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

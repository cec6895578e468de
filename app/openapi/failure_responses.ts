import {
  BadRequest,
  EncodingUnsupported,
  EntityConflict,
  EntityNotFound,
  IdentityUnavailable,
  InternalFailure,
  MethodNotAllowed,
  PayloadTooLarge,
  PermissionDenied,
  RateLimited,
  RelationInvalid,
  ServiceUnavailable,
  StorageInsufficient,
  Unauthorized,
  envelopeOf,
} from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { JsonSchema } from '#kernel/json_schema'
import type { DocumentedResponse, Reference } from './document.js'

const FAILURES = [
  new BadRequest(''),
  new RelationInvalid(''),
  new Unauthorized(),
  new PermissionDenied(''),
  new EntityNotFound('record'),
  new MethodNotAllowed('', []),
  new EntityConflict(''),
  new PayloadTooLarge(),
  new EncodingUnsupported(),
  new RateLimited(0),
  new InternalFailure(undefined),
  new IdentityUnavailable(),
  new ServiceUnavailable(),
  new StorageInsufficient(),
]

const EXAMPLE = BadRequest.attribute(
  issue('min_length', ['name'], 'The name is too short', { data: { min: 3 } })
)

const text = (description: string): JsonSchema => ({ type: 'string', description })

const PATH: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description:
    'Names that lead to what is meant, from the outside in; empty where no attribute is meant',
}

const META: JsonSchema = {
  type: 'object',
  description:
    'More about the issue; for a rejected query its `parameter` and the `key` as it was sent',
}

const REASON = text('Why, for people; it may be worded differently at any time')

/** The schemas of every failure. The codes are collected from the failure classes. */
export const FAILURE_SCHEMAS: Record<string, JsonSchema> = {
  ErrorEnvelope: {
    type: 'object',
    description: 'What every failed request is answered with',
    required: ['statusCode', 'code', 'message', 'issues'],
    properties: {
      statusCode: { type: 'integer', description: 'The HTTP status of the answer' },
      code: text(
        `What went wrong, for programs: ${codesByStatus()}; some operations have codes of their own`
      ),
      message: REASON,
      issues: {
        type: 'array',
        items: { $ref: '#/components/schemas/Issue' },
        description: 'What exactly was wrong; empty where there is nothing more to say',
      },
    },
    examples: [envelopeOf(EXAMPLE)],
  },
  Issue: {
    description: 'One reason for a failure, or several for the same attribute',
    oneOf: [
      { $ref: '#/components/schemas/IssueItem' },
      { $ref: '#/components/schemas/IssueGroup' },
    ],
    discriminator: {
      propertyName: 'type',
      mapping: { item: '#/components/schemas/IssueItem', group: '#/components/schemas/IssueGroup' },
    },
  },
  IssueItem: {
    type: 'object',
    description: 'One reason',
    required: ['type', 'code', 'path', 'message', 'meta'],
    properties: {
      type: { type: 'string', const: 'item' },
      code: text('What was wrong, for programs'),
      path: PATH,
      message: REASON,
      meta: META,
      data: { type: 'object', description: 'The limits that were missed, such as `min` and `max`' },
      expected: text('The type that was expected'),
      received: { description: 'What was sent instead' },
    },
  },
  IssueGroup: {
    type: 'object',
    description: 'Several reasons for the same attribute',
    required: ['type', 'path', 'message', 'issues', 'meta'],
    properties: {
      type: { type: 'string', const: 'group' },
      code: text('What the issues have in common, for programs'),
      path: PATH,
      message: REASON,
      issues: { type: 'array', items: { $ref: '#/components/schemas/Issue' } },
      meta: META,
    },
  },
}

/** Responses that many operations share. */
export const SHARED_RESPONSES: Record<string, DocumentedResponse> = {
  Failure: {
    description: 'Any failure, with the status that the envelope repeats',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
  },
  NotModified: {
    description: 'Nothing changed since the answer whose ETag was sent as If-None-Match',
  },
}

export const FAILURE: Reference = { $ref: '#/components/responses/Failure' }
export const NOT_MODIFIED: Reference = { $ref: '#/components/responses/NotModified' }

function codesByStatus(): string {
  return FAILURES.map(({ status, code }) => `\`${code}\` (${status})`).join(', ')
}

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
    'The path of the attribute in the body, from the outside in; empty if the issue concerns no single attribute',
}

const META: JsonSchema = {
  type: 'object',
  description: 'Details; for an invalid query the `parameter` and the `key` as sent',
}

const REASON = text('The reason for people; its wording may change at any time')

/** The schemas of every failure. The codes are collected from the failure classes. */
export const FAILURE_SCHEMAS: Record<string, JsonSchema> = {
  ErrorEnvelope: {
    type: 'object',
    description: 'The body of every error response',
    required: ['statusCode', 'code', 'message', 'issues'],
    properties: {
      statusCode: { type: 'integer', description: 'The HTTP status of the response' },
      code: text(
        `The error code for programs: ${codesByStatus()}; some operations have codes of their own`
      ),
      message: REASON,
      issues: {
        type: 'array',
        items: { $ref: '#/components/schemas/Issue' },
        description: 'The reasons by attribute; empty if the message says everything',
      },
    },
    examples: [envelopeOf(EXAMPLE)],
  },
  Issue: {
    description: 'One reason for an error, or several for the same attribute',
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
      code: text('The reason as a code for programs'),
      path: PATH,
      message: REASON,
      meta: META,
      data: { type: 'object', description: 'The violated limits, such as `min` and `max`' },
      expected: text('The type that was expected'),
      received: { description: 'The value that was sent' },
    },
  },
  IssueGroup: {
    type: 'object',
    description: 'Several reasons for the same attribute',
    required: ['type', 'path', 'message', 'issues', 'meta'],
    properties: {
      type: { type: 'string', const: 'group' },
      code: text('The common code of the issues, for programs'),
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
    description: 'An error; the body repeats the status and names the error code',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
  },
  NotModified: {
    description: 'The resource still has the ETag that was sent as If-None-Match',
  },
}

export const FAILURE: Reference = { $ref: '#/components/responses/Failure' }
export const NOT_MODIFIED: Reference = { $ref: '#/components/responses/NotModified' }

function codesByStatus(): string {
  return FAILURES.map(({ status, code }) => `\`${code}\` (${status})`).join(', ')
}

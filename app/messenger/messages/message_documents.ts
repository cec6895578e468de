import type { Operation } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { PARTY_KINDS } from '#messenger/mailboxes/party'
import { IDEMPOTENCY_KEY } from './idempotency_key.js'
import { acknowledgement, messageBodyBytes, messageBody } from './message_body.js'
import { MESSAGE_ACCESS } from './message_service.js'
import { PULL_PARAMETERS } from './pull_query.js'

const ID: JsonSchema = { type: 'string', format: 'uuid' }
const KIND: JsonSchema = { enum: [...PARTY_KINDS] }

const MESSAGE: JsonSchema = {
  type: 'object',
  required: [
    'id',
    'senderType',
    'senderId',
    'recipientType',
    'recipientId',
    'data',
    'metadata',
    'createdAt',
    'expiresAt',
  ],
  properties: {
    id: ID,
    senderType: KIND,
    senderId: ID,
    recipientType: KIND,
    recipientId: ID,
    data: { description: 'The data as sent: any JSON' },
    metadata: { description: 'The metadata as sent: any JSON' },
    createdAt: { type: 'string', format: 'date-time' },
    expiresAt: { type: 'integer', description: 'In milliseconds since 1970' },
  },
}

export const sendMessage: Operation = {
  name: 'sendMessage',
  summary:
    'Send a message: store it in the mailboxes of all recipients, or in none if one of them fails',
  access: MESSAGE_ACCESS,
  body: messageBody,
  verbatim: { maxBytes: messageBodyBytes() },
  headers: [IDEMPOTENCY_KEY],
  responses: {
    202: {
      description: 'The ids of the stored copies, in the order of the recipients',
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { type: 'array', items: ID } },
      },
    },
  },
}

export const pullMessages: Operation = {
  name: 'pullMessages',
  summary:
    'Pull messages of the caller, the oldest first; they stay until they are acknowledged or expire',
  access: MESSAGE_ACCESS,
  query: PULL_PARAMETERS,
  responses: {
    200: {
      description: 'The messages; an empty list if none arrived within the requested time',
      schema: {
        type: 'object',
        required: ['messages'],
        properties: { messages: { type: 'array', items: MESSAGE } },
      },
    },
  },
}

export const acknowledgeMessages: Operation = {
  name: 'acknowledgeMessages',
  summary: 'Acknowledge messages of the caller, which removes them; unknown ids are ignored',
  access: MESSAGE_ACCESS,
  body: acknowledgement,
  responses: { 202: { description: 'The messages are removed' } },
}

export const mailboxStream: Operation = {
  name: 'streamMailbox',
  summary: 'Stream a notification at the start and whenever messages arrive',
  access: MESSAGE_ACCESS,
  responses: {
    200: {
      description:
        'Server-sent events: `messagePending` with the recipient, and `ping` every 15 seconds',
      contentType: 'text/event-stream',
    },
  },
}

import type { Operation } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { PARTY_KINDS } from '#messenger/mailboxes/party'
import { IDEMPOTENCY_KEY } from './idempotency_key.js'
import { acknowledgement, MESSAGE_BODY_BYTES, messageBody } from './message_body.js'
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
    data: { description: 'What was sent, whatever JSON it is' },
    metadata: { description: 'What was sent beside the data' },
    createdAt: { type: 'string', format: 'date-time' },
    expiresAt: { type: 'integer', description: 'In milliseconds since 1970' },
  },
}

export const sendMessage: Operation = {
  name: 'sendMessage',
  summary: 'Leave a message in the mailboxes of its recipients: in all of them, or in none',
  access: MESSAGE_ACCESS,
  body: messageBody,
  verbatim: { mostBytes: MESSAGE_BODY_BYTES },
  headers: [IDEMPOTENCY_KEY],
  responses: {
    202: {
      description:
        'It is kept; the ids of the copies in the order of the recipients, one id as often as its recipient is named',
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
  summary: "The caller's messages, the oldest first; they stay until they are acknowledged",
  access: MESSAGE_ACCESS,
  query: PULL_PARAMETERS,
  responses: {
    200: {
      description: 'Those there are, none where the wait was in vain',
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
  summary: 'Remove messages that the caller has; ids of others, or of none, change nothing',
  access: MESSAGE_ACCESS,
  body: acknowledgement,
  responses: { 202: { description: 'They are gone' } },
}

export const mailboxStream: Operation = {
  name: 'followMailbox',
  summary: 'Be told when there is something to pull: once at the beginning, and with each arrival',
  access: MESSAGE_ACCESS,
  responses: {
    200: {
      description: 'Events `messagePending` that name the recipient, and `ping` every 15 seconds',
      contentType: 'text/event-stream',
    },
  },
}

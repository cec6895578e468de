import pg from 'pg'

import { Failure, PayloadTooLarge } from '#kernel/failures'
import { issue } from '#kernel/issues'

/** A mailbox of the recipients is full; the message was stored for no recipient. */
export class MailboxFull extends Failure {
  constructor(cause: pg.DatabaseError) {
    const [type, id] = (cause.detail ?? '').split(' ')
    super(
      507,
      'storage_insufficient',
      'A mailbox is full, so the message was not sent to any recipient',
      {
        issues: [
          issue('mailbox_full', ['recipients'], `The mailbox of the ${type} ${id} is full`, {
            meta: { type, id, variable: 'MAILBOX_MAX_BYTES' },
          }),
        ],
        cause,
      }
    )
  }

  /** Only this recipient does not read; the service has room. */
  override get isFault(): boolean {
    return false
  }
}

/** How long a sender over its limit is rejected before it is counted again. */
export const SENDER_RETRY_SECONDS = 10

/** The sender has reached the limit of unacknowledged messages. */
export class SenderFull extends Failure {
  constructor(cause?: pg.DatabaseError) {
    super(
      429,
      'rate_limited',
      'Too many of your messages are unacknowledged; send again after their recipients have acknowledged some',
      {
        issues: [
          issue('sender_full', [], 'The limit of unacknowledged messages is reached', {
            meta: { variables: ['SENDER_MAX_BYTES', 'SENDER_MAX_MESSAGES'] },
          }),
        ],
        headers: { 'retry-after': String(SENDER_RETRY_SECONDS) },
        cause,
      }
    )
  }
}

const BY_CONSTRAINT = new Map([
  ['mailbox_limit', MailboxFull],
  ['sender_limit', SenderFull],
])

/** Maps a violated limit to its failure; undefined for any other error. */
export function quotaFailure(error: unknown): Failure | undefined {
  const QuotaFailure =
    error instanceof pg.DatabaseError ? BY_CONSTRAINT.get(error.constraint ?? '') : undefined
  return QuotaFailure && new QuotaFailure(error as pg.DatabaseError)
}

/** Data and metadata together exceed the limit. */
export class MessageTooLarge extends PayloadTooLarge {
  constructor(maxBytes: number) {
    super(`A message may have at most ${maxBytes} bytes of data and metadata`, {
      issues: [
        issue('max_length', ['data'], 'The message is too large', {
          data: { max: maxBytes },
          meta: { variable: 'MESSAGE_MAX_BYTES' },
        }),
      ],
    })
  }
}

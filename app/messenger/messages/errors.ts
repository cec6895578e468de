import pg from 'pg'

import { Failure, PayloadTooLarge } from '#kernel/failures'
import { issue } from '#kernel/issues'

/** One of the recipients has no room for the message, so that none got it. */
export class MailboxFull extends Failure {
  constructor(cause: pg.DatabaseError) {
    const [type, id] = (cause.detail ?? '').split(' ')
    super(507, 'storage_insufficient', 'A mailbox is full, so the message was sent to nobody', {
      issues: [
        issue('mailbox_full', ['recipients'], `The mailbox of the ${type} ${id} is full`, {
          meta: { type, id, variable: 'MAILBOX_MAX_BYTES' },
        }),
      ],
      cause,
    })
  }

  /** The recipient does not fetch; there is room for others. */
  override get isFault(): boolean {
    return false
  }
}

/** How long a sender of whom too much waits is refused without being counted anew. */
export const SENDER_RETRY_SECONDS = 10

/** Too much of what the caller sent still waits for its recipients. */
export class SenderFull extends Failure {
  constructor(cause?: pg.DatabaseError) {
    super(
      429,
      'rate_limited',
      'Too many messages of yours wait to be acknowledged; send again once their recipients have acknowledged some',
      {
        issues: [
          issue('sender_full', [], 'The limit for messages that wait is reached', {
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
  ['mailbox_room', MailboxFull],
  ['sender_room', SenderFull],
])

/** The failure for a limit that the database found exceeded; undefined for any other error. */
export function quotaFailure(error: unknown): Failure | undefined {
  const QuotaFailure =
    error instanceof pg.DatabaseError ? BY_CONSTRAINT.get(error.constraint ?? '') : undefined
  return QuotaFailure && new QuotaFailure(error as pg.DatabaseError)
}

/** Data and metadata together are more than a message may have. */
export class MessageTooLarge extends PayloadTooLarge {
  constructor(maxBytes: number) {
    super(`A message has ${maxBytes} bytes at most, data and metadata together`, {
      issues: [
        issue('max_length', ['data'], 'The message is too large', {
          data: { max: maxBytes },
          meta: { variable: 'MESSAGE_MAX_BYTES' },
        }),
      ],
    })
  }
}

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

/** The failure that stands for what the database said of a full mailbox; undefined for anything else. */
export function mailboxFailure(error: unknown): MailboxFull | undefined {
  return error instanceof pg.DatabaseError && error.constraint === 'mailbox_room'
    ? new MailboxFull(error)
    : undefined
}

/** Data and metadata together are more than a message may have. */
export class MessageTooLarge extends PayloadTooLarge {
  constructor(most: number) {
    super(`A message has ${most} bytes at most, data and metadata together`, {
      issues: [
        issue('max_length', ['data'], 'The message is too large', {
          data: { max: most },
          meta: { variable: 'MESSAGE_MAX_BYTES' },
        }),
      ],
    })
  }
}

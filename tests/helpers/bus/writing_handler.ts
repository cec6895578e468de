import type pg from 'pg'

import { singleHandler, type Handler } from '#bus/consumer'
import type { Message } from '#bus/message'

interface Writing {
  readonly transaction: pg.ClientBase
  readonly message: Message
}

export type Write = (writing: Writing) => Promise<void>

/** A handler of single messages that makes no external calls. */
export function writingHandler(write: Write): Handler {
  return singleHandler(async (message) => (transaction) => write({ transaction, message }))
}

import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import { PARTY_KINDS } from '#messenger/mailboxes/party'
import { id } from '#records/rules'
import { env } from '#start/env'

/** What one recipient takes in a body at most, blanks included. */
const RECIPIENT_BYTES = 256
const MAX_IDS = 1_000

/** To whom something is sent. */
export const recipientList = () =>
  vine
    .array(vine.object({ type: vine.enum(PARTY_KINDS), id: id() }))
    .minLength(1)
    .maxLength(env.MESSAGE_MAX_RECIPIENTS)

/** What somebody sends. Data and metadata are whatever JSON they are. */
export const messageBody = body({
  recipients: recipientList(),
  data: vine.any().nullable().optional(),
  metadata: vine.any().nullable().optional(),
})

/** The largest body in which a message may come. */
export const MESSAGE_BODY_BYTES =
  env.MESSAGE_MAX_BYTES + env.MESSAGE_MAX_RECIPIENTS * RECIPIENT_BYTES + 1_024

/** The messages that somebody has. Ids that cannot be any are those of none. */
export const acknowledgement = body({
  ids: vine.array(vine.string()).minLength(1).maxLength(MAX_IDS),
})

import vine from '@vinejs/vine'

import { body } from '#kernel/body'
import { messengerSettings } from '#messenger/messenger_settings'
import { PARTY_KINDS } from '#messenger/mailboxes/party'
import { id } from '#records/rules'

/** The most bytes of one recipient in a body, whitespace included. */
const RECIPIENT_BYTES = 256
const MAX_IDS = 1_000

/** The recipients of a message. */
export const recipientList = () =>
  vine
    .array(vine.object({ type: vine.enum(PARTY_KINDS), id: id() }))
    .minLength(1)
    .maxLength(messengerSettings().messageMaxRecipients)

/** The body of a message. Data and metadata may be any JSON. */
export const messageBody = body({
  recipients: recipientList(),
  data: vine.any().nullable().optional(),
  metadata: vine.any().nullable().optional(),
})

/** The maximum size of the body of a message. */
export function messageBodyBytes(): number {
  const { messageMaxBytes, messageMaxRecipients } = messengerSettings()
  return messageMaxBytes + messageMaxRecipients * RECIPIENT_BYTES + 1_024
}

/** The ids to acknowledge. Strings other than UUIDs match no message. */
export const acknowledgement = body({
  ids: vine.array(vine.string()).minLength(1).maxLength(MAX_IDS),
})

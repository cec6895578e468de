import { clock } from '#kernel/clock'
import { messengerPool } from '#messenger/database'
import type { Party } from '#messenger/mailboxes/party'
import type { NewMessage, MessageQuotas } from '#messenger/messages/store_messages'

export const UNLIMITED: MessageQuotas = {
  mailboxMaxBytes: 0,
  senderMaxBytes: 0,
  senderMaxMessages: 0,
}

/** A message as it is to be stored, from somebody, unless it says from whom. */
export function newMessage(
  recipients: readonly Party[],
  about: Partial<NewMessage> = {}
): NewMessage {
  const data = about.data ?? null
  const ids = recipients.map(() => clock.uuid())
  const bytes = Buffer.byteLength(data ?? '')
  const sender: Party = { type: 'robot', id: clock.uuid() }
  return {
    ...{ sender, recipients, ids, answer: ids, data, metadata: null, bytes, key: undefined },
    ...about,
  }
}

/** How many contents are stored beside the messages of a sender. */
export async function contentsOf({ type, id }: Party): Promise<number> {
  const { rows } = await messengerPool().query(
    'select count(*)::int from message_contents where sender_type = $1 and sender_id = $2',
    [type, id]
  )
  return rows[0].count
}

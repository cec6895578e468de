import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import CreateMessages from '#migrations/messenger/001_create_messages'
import CreateMailboxes from '#migrations/messenger/002_create_mailboxes'
import CreateMessageKeys from '#migrations/messenger/003_create_message_keys'
import CreateMessageContents from '#migrations/messenger/010_create_message_contents'
import CreateMessageSenders from '#migrations/messenger/011_create_message_senders'
import { DatabasePool } from '#database/database_pool'
import type { Party } from '#messenger/mailboxes/party'
import { findPendingMessages } from '#messenger/messages/message_table'
import { storeMessages } from '#messenger/messages/store_messages'
import { emptyDatabase } from '#tests/helpers/database/empty_database'
import { newMessage, UNLIMITED } from '#tests/helpers/messenger/stored_messages'

const aParty = (): Party => ({ type: 'user', id: clock.uuid() })

test('Migrations keep pending messages, up and down, and count them for their sender', async ({
  assert,
  cleanup,
}) => {
  const database = await emptyDatabase()
  const pool = new DatabasePool({ connectionString: database.url, size: 3 })
  cleanup(async () => {
    await pool.end()
    await database.stop()
  })
  const pulled = async (party: Party) =>
    (await findPendingMessages(pool, party, 10)).map((text) => JSON.parse(text).data)
  const [sender, early, late] = [aParty(), aParty(), aParty()]
  await database.up(CreateMessages, CreateMailboxes, CreateMessageKeys)
  await pool.query(
    `insert into messages (id, sender_type, sender_id, recipient_type, recipient_id, data, size)
     values ($1, 'user', $2, 'user', $3, '"early"', 135)`,
    [clock.uuid(), sender.id, early.id]
  )
  await database.up(CreateMessageContents, CreateMessageSenders)
  assert.deepEqual(await pulled(early), ['early'])
  const { rows } = await pool.query('select messages::int, bytes::int from message_senders')
  assert.deepEqual(rows, [{ messages: 1, bytes: 135 }])

  await storeMessages(pool, [newMessage([late, early], { sender, data: '"late"' })], UNLIMITED)
  await database.down(CreateMessageSenders)
  await database.down(CreateMessageContents)
  const { rows: left } = await pool.query('select data from messages order by data')
  assert.deepEqual(
    left.map(({ data }) => data),
    ['"early"', '"late"', '"late"']
  )
})

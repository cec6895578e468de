import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { messengerPool } from '#messenger/database'
import type { Party } from '#messenger/mailboxes/party'
import { removeMailbox } from '#messenger/mailboxes/mailbox_removal'
import { leftoverSweep, sweepMessages } from '#messenger/mailboxes/message_sweeps'
import { findPendingMessages, removeMessages } from '#messenger/messages/message_table'
import { storeMessages } from '#messenger/messages/store_messages'
import { boot } from '#tests/helpers/application'
import { contentsOf, newMessage, UNLIMITED } from '#tests/helpers/messenger/stored_messages'

const RECIPIENTS = 20
const BYTES = 100_000

/** Stores a message for several recipients, which acknowledge it one by one. */
async function sentToMany() {
  const recipients = Array.from({ length: RECIPIENTS }, (): Party => ({
    type: 'client',
    id: clock.uuid(),
  }))
  const message = newMessage(recipients, {
    data: JSON.stringify('x'.repeat(BYTES)),
    metadata: '{"a":1}',
  })
  await storeMessages(messengerPool(), [message], UNLIMITED)
  const acknowledge = (index: number) =>
    removeMessages(messengerPool(), recipients[index]!, [message.ids[index]!])
  return { ...message, acknowledge }
}

const bytesOf = async (table: string, { id }: Party): Promise<number> => {
  const { rows } = await messengerPool().query(
    `select coalesce(sum(octet_length(data)), 0)::int as bytes from ${table} where sender_id = $1`,
    [id]
  )
  return rows[0].bytes
}

test.group('A message for many', (group) => {
  group.setup(async () => void (await boot()))

  test('a message is stored once for all of them, and comes to each whole', async ({ assert }) => {
    const { sender, recipients, data } = await sentToMany()
    assert.equal(await bytesOf('messages', sender), 0)
    assert.equal(await bytesOf('message_contents', sender), data!.length)
    for (const recipient of recipients) {
      const [text] = await findPendingMessages(messengerPool(), recipient, 10)
      assert.include(text, `"data":${data},"metadata":{"a":1},`)
    }
  })

  test('a message goes with its last copy, also where the last are acknowledged at the same time', async ({
    assert,
  }) => {
    const { sender, acknowledge } = await sentToMany()
    for (let index = 0; index < RECIPIENTS / 2; index++) {
      await acknowledge(index)
      assert.equal(await contentsOf(sender), 1)
    }
    const last = Array.from({ length: RECIPIENTS / 2 }, (_, n) => acknowledge(RECIPIENTS / 2 + n))
    await Promise.all(last)
    assert.equal(await contentsOf(sender), 0)
  })

  test('a message is acknowledged by one while another has not committed yet', async ({
    assert,
  }) => {
    const { sender, ids, acknowledge } = await sentToMany()
    const other = await messengerPool().connect()
    try {
      await other.query('begin')
      await other.query('delete from messages where id = $1', [ids[0]])
      assert.equal(await acknowledge(1), 1)
    } finally {
      await other.query('rollback')
      other.release()
    }
    assert.equal(await contentsOf(sender), 1)
  })

  test('a message goes when it had its time, or with the mailboxes', async ({ assert }) => {
    const [old, forGone] = [await sentToMany(), await sentToMany()]
    await messengerPool().query(
      `update messages set created_at = created_at - interval '24 hours' where id = any($1)`,
      [old.ids]
    )
    await sweepMessages({ logger: { info() {} } })
    assert.equal(await contentsOf(old.sender), 0)
    for (const recipient of forGone.recipients) {
      assert.equal(await contentsOf(forGone.sender), 1)
      await removeMailbox(recipient)
    }
    assert.equal(await contentsOf(forGone.sender), 0)
  })

  test('a message is swept after a day where a process ended before it removed it', async ({
    assert,
  }) => {
    const [left, young] = [await sentToMany(), await sentToMany()]
    const lost = [left, young]
    await messengerPool().query('delete from messages where sender_id = any($1)', [
      lost.map(({ sender }) => sender.id),
    ])
    await messengerPool().query(
      `update message_contents set created_at = now() - interval '26 hours' where sender_id = $1`,
      [left.sender.id]
    )
    await leftoverSweep.run(new AbortController().signal)
    assert.equal(await contentsOf(left.sender), 0)
    assert.equal(await contentsOf(young.sender), 1)
  })
})

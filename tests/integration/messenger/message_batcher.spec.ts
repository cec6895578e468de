import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { messengerPool } from '#messenger/database'
import type { Party } from '#messenger/mailboxes/party'
import { MailboxFull } from '#messenger/messages/errors'
import { findPendingMessages } from '#messenger/messages/message_table'
import { MessageBatcher } from '#messenger/messages/message_batcher'
import { boot } from '#tests/helpers/application'
import { newMessage, UNLIMITED } from '#tests/helpers/messenger/stored_messages'

const ROOM = 4_000

const aParty = (): Party => ({ type: 'robot', id: clock.uuid() })

const ofSize = (length: number) => ({ data: JSON.stringify('x'.repeat(length)) })

const idsIn = async (party: Party) =>
  (await findPendingMessages(messengerPool(), party, 100)).map((text) => JSON.parse(text).id)

/** The number of transactions that wrote the messages of a mailbox. */
async function transactionsOf({ id }: Party): Promise<number> {
  const { rows } = await messengerPool().query(
    'select count(distinct xmin::text)::int as count from messages where recipient_id = $1',
    [id]
  )
  return rows[0].count
}

test.group('Messages on their way', (group) => {
  group.setup(async () => {
    await boot()
  })

  const outgoing = () =>
    new MessageBatcher({ pool: messengerPool(), ...UNLIMITED, mailboxMaxBytes: ROOM })

  test('that come together are stored together, in their order', async ({ assert }) => {
    const recipient = aParty()
    const sent = Array.from({ length: 20 }, () => newMessage([recipient]))
    const mailboxes = outgoing()
    await Promise.all(sent.map((one) => mailboxes.store(one)))
    assert.deepEqual(
      await idsIn(recipient),
      sent.flatMap(({ ids }) => ids)
    )
    assert.isBelow(await transactionsOf(recipient), 5)
  })

  test('that cannot be stored do not affect the others', async ({ assert }) => {
    const [full, empty] = [aParty(), aParty()]
    const sent = [
      newMessage([empty]),
      newMessage([empty, full], ofSize(ROOM)),
      newMessage([full]),
      newMessage([full], { ...ofSize(ROOM), key: 'refused' }),
    ]
    const mailboxes = outgoing()
    const results = await Promise.allSettled(sent.map((one) => mailboxes.store(one)))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected']
    )
    for (const one of results) {
      assert.isTrue(one.status === 'fulfilled' || one.reason instanceof MailboxFull)
    }
    assert.deepEqual(await idsIn(empty), sent[0]!.ids)
    assert.deepEqual(await idsIn(full), sent[2]!.ids)
  })

  test('with one key are stored once, and those beside them as well', async ({ assert }) => {
    const [sender, recipient] = [aParty(), aParty()]
    const sent = Array.from({ length: 4 }, () => newMessage([recipient], { sender, key: 'once' }))
    const others = [
      newMessage([recipient], { sender, key: 'another' }),
      newMessage([recipient], { key: 'once' }),
      newMessage([recipient], { sender }),
    ]
    const mailboxes = outgoing()
    const results = await Promise.all([...sent, ...others].map((one) => mailboxes.store(one)))
    const stored = [...sent, ...others].filter((_, index) => results[index]!.length > 0)
    assert.lengthOf(stored, 1 + others.length)
    assert.sameMembers(
      await idsIn(recipient),
      stored.flatMap(({ ids }) => ids)
    )
  })
})

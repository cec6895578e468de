import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { messengerPool } from '#messenger/database'
import type { Party } from '#messenger/mailboxes/party'
import { leftoverSweep } from '#messenger/mailboxes/message_sweeps'
import { SenderFull } from '#messenger/messages/errors'
import { removeMessages } from '#messenger/messages/message_table'
import { MessageBatcher } from '#messenger/messages/message_batcher'
import { recountSender } from '#messenger/messages/sender_allowances'
import { boot } from '#tests/helpers/application'
import { newMessage, UNLIMITED } from '#tests/helpers/messenger/stored_messages'

const aParty = (): Party => ({ type: 'user', id: clock.uuid() })
const parties = (count: number) => Array.from({ length: count }, aParty)

const withLimits = (limits: object) =>
  new MessageBatcher({ pool: messengerPool(), ...UNLIMITED, ...limits })

/** The recorded totals of a sender. */
async function bookOf({ type, id }: Party) {
  const { rows } = await messengerPool().query(
    `select messages::int, bytes::int from message_senders where sender_type = $1 and sender_id = $2`,
    [type, id]
  )
  return rows[0]
}

/** Moves the last count into the past. */
const countedAgo = ({ id }: Party, ago: string) =>
  messengerPool().query(
    'update message_senders set counted_at = now() - $2::interval where sender_id = $1',
    [id, ago]
  )

test.group('Limits of a sender', (group) => {
  group.setup(async () => void (await boot()))

  test('a sender is rejected at the limit, and accepted again after acknowledgements', async ({
    assert,
  }) => {
    const [sender, recipients] = [aParty(), parties(10)]
    const message = newMessage(recipients, { sender })
    await withLimits({ senderMaxMessages: 10 }).store(message)
    const outgoing = withLimits({ senderMaxMessages: 10 })
    const refused = await outgoing.store(newMessage(parties(1), { sender })).catch((error) => error)
    assert.instanceOf(refused, SenderFull)
    assert.equal(refused.status, 429)
    assert.equal(refused.headers['retry-after'], '10')
    assert.equal((await outgoing.store(newMessage(parties(1)))).length, 1)

    await removeMessages(messengerPool(), recipients[0]!, message.ids)
    const again = newMessage(parties(1), { sender })
    const later = () => withLimits({ senderMaxMessages: 10 }).store(again)
    assert.instanceOf(await later().catch((error) => error), SenderFull)
    await countedAgo(sender, '1 minute')
    assert.lengthOf(await later(), 1)
  })

  test('a sender is refused by size, for which what went to many counts once', async ({
    assert,
  }) => {
    const [sender, data] = [aParty(), JSON.stringify('x'.repeat(10_000))]
    const outgoing = withLimits({ senderMaxBytes: 30_000 })
    await outgoing.store(newMessage(parties(60), { sender, data }))
    await outgoing.store(newMessage(parties(1), { sender, data }))
    const refused = await outgoing
      .store(newMessage(parties(1), { sender, data }))
      .catch((error) => error)
    assert.instanceOf(refused, SenderFull)
    const { bytes } = await bookOf(sender)
    await countedAgo(sender, '1 minute')
    assert.isTrue(await recountSender(messengerPool(), sender))
    assert.isFalse(await recountSender(messengerPool(), sender))
    assert.deepEqual(await bookOf(sender), { messages: 61, bytes })
  })

  test('a sender does not affect others while it is rejected', async ({ assert, cleanup }) => {
    const [sender, others] = [aParty(), parties(5)]
    const outgoing = withLimits({ senderMaxMessages: 1 })
    const messages = [
      ...others.map((other) => newMessage(parties(1), { sender: other })),
      newMessage(parties(2), { sender }),
    ]
    const results = await Promise.allSettled(messages.map((one) => outgoing.store(one)))
    assert.deepEqual(
      results.map(({ status }) => status),
      [...others.map(() => 'fulfilled'), 'rejected']
    )
    let statements = 0
    const count = () => (statements += 1)
    messengerPool().on('acquire', count)
    cleanup(() => void messengerPool().off('acquire', count))
    await Promise.allSettled(
      Array.from({ length: 20 }, () => outgoing.store(newMessage(parties(1), { sender })))
    )
    assert.equal(statements, 0)
  })

  test('a sender does not get past a limit by sending from several processes at once', async ({
    assert,
  }) => {
    const sender = aParty()
    const processes = Array.from({ length: 4 }, () => withLimits({ senderMaxMessages: 20 }))
    const sent = Array.from({ length: 40 }, (_, n) =>
      processes[n % 4]!.store(newMessage(parties(1), { sender }))
    )
    const results = await Promise.allSettled(sent)
    assert.lengthOf(
      results.filter(({ status }) => status === 'fulfilled'),
      20
    )
  })

  test('a sender has what it may send set aside by a process for many messages at a time', async ({
    assert,
  }) => {
    const sender = aParty()
    const outgoing = withLimits({ senderMaxMessages: 640 })
    for (const [sent, reserved] of [
      [1, 10],
      [9, 10],
      [1, 20],
      [30, 41],
    ]) {
      await outgoing.store(newMessage(parties(sent!), { sender }))
      assert.containsSubset(await bookOf(sender), { messages: reserved })
    }
  })

  test('a sender is forgotten once nothing of it can wait', async ({ assert }) => {
    const [idle, active] = [aParty(), aParty()]
    for (const sender of [idle, active]) {
      await withLimits({ senderMaxMessages: 10 }).store(newMessage(parties(1), { sender }))
    }
    await messengerPool().query(
      `update message_senders set used_at = now() - interval '26 hours' where sender_id = $1`,
      [idle.id]
    )
    await leftoverSweep.run(new AbortController().signal)
    assert.isUndefined(await bookOf(idle))
    assert.containsSubset(await bookOf(active), { messages: 1 })
  })
})

import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { messengerPool } from '#messenger/database'
import type { Party } from '#messenger/mailboxes/party'
import { MailboxFull } from '#messenger/messages/errors'
import { pendingMessages } from '#messenger/messages/message_table'
import { Outgoing } from '#messenger/messages/outgoing'
import { boot } from '#tests/helpers/application'

const ROOM = 4_000

const aParty = (): Party => ({ type: 'robot', id: clock.uuid() })

function message(
  recipients: readonly Party[],
  about: { sender?: Party; key?: string; of?: number }
) {
  const { sender = aParty(), key, of = 0 } = about
  const data = JSON.stringify('x'.repeat(of))
  const ids = recipients.map(() => clock.uuid())
  return { sender, recipients, ids, data, metadata: null, bytes: data.length, key }
}

const idsIn = async (party: Party) =>
  (await pendingMessages(messengerPool(), party, 100)).map((text) => JSON.parse(text).id)

/** How many transactions wrote what is in a mailbox. */
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

  const outgoing = () => new Outgoing({ pool: messengerPool(), mailboxMaxBytes: ROOM })

  test('that come together are stored together, in their order', async ({ assert }) => {
    const recipient = aParty()
    const sent = Array.from({ length: 20 }, () => message([recipient], {}))
    const mailboxes = outgoing()
    await Promise.all(sent.map((one) => mailboxes.store(one)))
    assert.deepEqual(
      await idsIn(recipient),
      sent.flatMap(({ ids }) => ids)
    )
    assert.isBelow(await transactionsOf(recipient), 5)
  })

  test('that cannot be stored keep none of the others away', async ({ assert }) => {
    const [full, empty] = [aParty(), aParty()]
    const sent = [
      message([empty], {}),
      message([empty, full], { of: ROOM }),
      message([full], {}),
      message([full], { of: ROOM, key: 'refused' }),
    ]
    const mailboxes = outgoing()
    const told = await Promise.allSettled(sent.map((one) => mailboxes.store(one)))
    assert.deepEqual(
      told.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected']
    )
    for (const one of told) {
      assert.isTrue(one.status === 'fulfilled' || one.reason instanceof MailboxFull)
    }
    assert.deepEqual(await idsIn(empty), sent[0]!.ids)
    assert.deepEqual(await idsIn(full), sent[2]!.ids)
  })

  test('with one key are stored once, and those beside them as well', async ({ assert }) => {
    const [sender, recipient] = [aParty(), aParty()]
    const sent = Array.from({ length: 4 }, () => message([recipient], { sender, key: 'once' }))
    const others = [
      message([recipient], { sender, key: 'another' }),
      message([recipient], { key: 'once' }),
      message([recipient], { sender }),
    ]
    const mailboxes = outgoing()
    const told = await Promise.all([...sent, ...others].map((one) => mailboxes.store(one)))
    const kept = [...sent, ...others].filter((_, index) => told[index]!.length > 0)
    assert.lengthOf(kept, 1 + others.length)
    assert.sameMembers(
      await idsIn(recipient),
      kept.flatMap(({ ids }) => ids)
    )
  })
})

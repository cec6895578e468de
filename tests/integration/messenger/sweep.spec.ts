import { test } from '@japa/runner'

import { runAsLeader } from '#jobs/leader_election'
import { clock } from '#kernel/clock'
import { messengerPool } from '#messenger/database'
import { exposeBacklog } from '#messenger/mailboxes/backlog'
import { leftoverSweep, messageSweep, sweepMessages } from '#messenger/mailboxes/message_sweeps'
import type { Party } from '#messenger/mailboxes/party'
import { findPendingMessages, removeMessages } from '#messenger/messages/message_table'
import { storeMessages } from '#messenger/messages/store_messages'
import { metrics } from '#observability/metrics'
import { boot } from '#tests/helpers/application'
import { pidOf, untilBlocking } from '#tests/helpers/database/blocked_sessions'
import { newMessage, UNLIMITED } from '#tests/helpers/messenger/stored_messages'

const silent = { info() {} }
const { signal } = new AbortController()

const aParty = (): Party => ({ type: 'client', id: clock.uuid() })

/** Stores messages for the recipients, sent some time ago. */
async function messages(count: number, recipients: readonly Party[], ago: string) {
  const sent: string[] = []
  const to = Array.from({ length: count }, (_, n) => recipients[n % recipients.length]!)
  for (let done = 0; done < count; done += 500) {
    const part = to.slice(done, done + 500)
    const message = newMessage(part, { data: '1' })
    await storeMessages(messengerPool(), [message], UNLIMITED)
    sent.push(...message.ids)
  }
  await messengerPool().query(
    'update messages set created_at = created_at - $2::interval where id = any($1)',
    [sent, ago]
  )
  return sent
}

/** The recorded totals of the mailboxes, and the actual ones. */
async function books(parties: readonly Party[]) {
  const { rows } = await messengerPool().query(
    `select m.messages::int, m.bytes::int, m.expired::int, count(g.id)::int as "messagesThere",
       coalesce(sum(g.size), 0)::int as "bytesThere"
     from mailboxes m left join messages g using (recipient_type, recipient_id)
     where recipient_id = any($1) group by recipient_type, recipient_id, m.messages, m.bytes, m.expired`,
    [parties.map(({ id }) => id)]
  )
  return rows
}

test.group('Expired messages', (group) => {
  group.setup(async () => void (await boot()))

  test('messages go, over many portions, and nothing else does', async ({ assert }) => {
    const parties = [aParty(), aParty(), aParty()]
    await messages(2_700, parties, '24 hours')
    const stored = await messages(30, parties, '23 hours')
    const swept = await sweepMessages({ logger: silent })
    assert.isTrue(swept!.isDone)
    assert.isAtLeast(swept!.removed, 2_700)
    for (const book of await books(parties)) {
      assert.containsSubset(book, { messages: 10, messagesThere: 10, expired: 900 })
      assert.equal(book.bytes, book.bytesThere)
    }
    const remaining = await Promise.all(
      parties.map((party) => findPendingMessages(messengerPool(), party, 100))
    )
    assert.sameMembers(
      remaining.flat().map((text) => JSON.parse(text).id),
      stored
    )
  })

  test('messages are counted once, while their recipients acknowledge them and others send', async ({
    assert,
  }) => {
    const parties = [aParty(), aParty(), aParty(), aParty()]
    const ids = await messages(3_000, parties, '24 hours')
    const acknowledging = parties.map((party) =>
      removeMessages(messengerPool(), party, ids.slice(0, 1_500))
    )
    const [swept, , ...removed] = await Promise.all([
      sweepMessages({ logger: silent }),
      messages(400, parties.toReversed(), '0 hours'),
      ...acknowledging,
    ])
    const expired = (await books(parties)).map((book) => {
      assert.containsSubset(book, { messages: 100, messagesThere: 100 })
      assert.equal(book.bytes, book.bytesThere)
      return book.expired
    })
    const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
    assert.equal(sum(expired) + sum(removed as number[]), 3_000)
    assert.isAtLeast(swept!.removed, sum(expired))
  })

  test('messages go, although the recipient acknowledged a whole portion meanwhile', async ({
    assert,
  }) => {
    const [first, second] = [aParty(), aParty()]
    const acknowledged = await messages(1_000, [first], '30 hours')
    await messages(5, [second], '24 hours')
    const recipient = await messengerPool().connect()
    try {
      await recipient.query('begin')
      await recipient.query('delete from messages where id = any($1)', [acknowledged])
      await recipient.query(
        'update mailboxes set messages = 0, bytes = 0 where recipient_id = $1',
        [first.id]
      )
      const sweep = sweepMessages({ logger: silent })
      await untilBlocking(messengerPool(), await pidOf(recipient))
      await recipient.query('commit')
      assert.isTrue((await sweep)!.isDone)
    } finally {
      recipient.release()
    }
    assert.containsSubset(await books([second]), [{ messages: 0, expired: 5 }])
  })

  test('messages wait where another process removes them', async ({ assert }) => {
    const party = aParty()
    await messages(5, [party], '24 hours')
    await runAsLeader(messengerPool(), 'expired messages', async () => {
      assert.isUndefined(await sweepMessages({ logger: silent }))
    })
    assert.containsSubset(await books([party]), [{ messages: 5 }])
    await messageSweep(silent).runTurn(signal)
    assert.containsSubset(await books([party]), [{ messages: 0, expired: 5 }])
  })

  test('messages are removed at once by the command, which reports how many', async ({
    assert,
  }) => {
    const party = aParty()
    await messages(7, [party], '24 hours')
    const app = await boot()
    const ace = await app.container.make('ace')
    ace.ui.switchMode('raw')
    await ace.boot()
    const { exitCode } = await ace.exec('sweep:messages', [])
    const output = ace.ui.logger.getLogs().map(({ message }) => message)
    ace.ui.logger.flushLogs()
    assert.equal(exitCode, 0)
    assert.include(output.join(), '7 messages were removed')
    assert.containsSubset(await books([party]), [{ messages: 0, expired: 7 }])
  })

  test('messages stay when the process is to stop', async ({ assert }) => {
    const party = aParty()
    await messages(5, [party], '24 hours')
    const swept = await sweepMessages({ logger: silent, signal: AbortSignal.abort() })
    assert.deepEqual(swept, { removed: 0, isDone: false })
    assert.containsSubset(await books([party]), [{ messages: 5 }])
  })

  test('messages are found by an index, and those of a recipient as well', async ({ assert }) => {
    const party = aParty()
    await messages(2_000, Array.from({ length: 500 }, aParty), '1 hour')
    await messengerPool().query('analyze messages')
    const plan = async (text: string, values: unknown[]) => {
      const { rows } = await messengerPool().query(`explain ${text}`, values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    assert.include(
      await plan(
        `select id, recipient_type, recipient_id from messages
         where recipient_type = any($1) and created_at <= now() - interval '24 hours' limit 1000`,
        [['user', 'robot', 'client']]
      ),
      'messages_age'
    )
    assert.include(
      await plan(
        `select * from messages where recipient_id = $1 and recipient_type = $2
         and created_at > now() - interval '24 hours' order by created_at, sequence limit 50`,
        [party.id, party.type]
      ),
      'messages_recipient'
    )
  })
})

test.group('Figures of mailboxes', (group) => {
  group.setup(async () => void (await boot()))

  test('the figures report the number and age of pending messages by kind of recipient', async ({
    assert,
  }) => {
    exposeBacklog(messengerPool())
    const figure = async (name: string) => {
      const text = await metrics.getSingleMetricAsString(name)
      return Number(/kind="robot"} (.+)$/m.exec(text)?.[1])
    }
    const before = await figure('mailbox_messages')
    const robot: Party = { type: 'robot', id: clock.uuid() }
    const ids = await messages(3, [robot], '2 hours')
    assert.equal(await figure('mailbox_messages'), before + 3)
    assert.closeTo(await figure('mailbox_oldest_seconds'), 7_200, 60)
    await removeMessages(messengerPool(), robot, ids)
    assert.equal(await figure('mailbox_messages'), before)
    assert.isBelow(await figure('mailbox_oldest_seconds'), 7_200)
  })
})

test.group('What messages leave behind', (group) => {
  group.setup(async () => void (await boot()))

  test('the rest is forgotten in time, and not before', async ({ assert }) => {
    const pool = messengerPool()
    const [idle, used, full] = [aParty(), aParty(), aParty()]
    const all = [idle, used, full]
    const ids = await messages(3, all, '0 hours')
    await removeMessages(pool, idle, ids)
    await removeMessages(pool, used, ids)
    await pool.query(
      `update mailboxes set used_at = now() - interval '31 days' where recipient_id = any($1)`,
      [[idle.id, full.id]]
    )
    const sender = aParty()
    for (const [key, ago] of [
      ['old', '25 hours'],
      ['new', '23 hours'],
    ]) {
      await pool.query(
        `insert into message_keys (sender_type, sender_id, key, ids, created_at)
         values ('client', $1, $2, '{}', now() - $3::interval)`,
        [sender.id, key, ago]
      )
    }
    assert.isAtLeast(await leftoverSweep.run(signal), 2)
    const { rows: boxes } = await pool.query(
      'select recipient_id as id from mailboxes where recipient_id = any($1)',
      [all.map(({ id }) => id)]
    )
    assert.sameMembers(
      boxes.map(({ id }) => id),
      [used.id, full.id]
    )
    const { rows: keys } = await pool.query('select key from message_keys where sender_id = $1', [
      sender.id,
    ])
    assert.deepEqual(keys, [{ key: 'new' }])
  })
})

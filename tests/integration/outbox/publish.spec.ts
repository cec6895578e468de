import { test } from '@japa/runner'

import { newMessage } from '#bus/message'
import { commandRouting } from '#bus/names'
import { onOutboxWritten } from '#outbox/wakeups'
import { publishSecurityEvent, publishChange, publishCommand } from '#outbox/publish'
import type { RecordChange } from '#records/events'
import { event } from '#telemetry/events/event'
import { inTransaction } from '#records/transaction'
import { identity } from '#tests/helpers/identities'
import { OutboxScene } from './outbox_scene.js'

const ID = 'bbbbbbbb-0000-4000-8000-000000000001'

const origin = {
  actor: identity().actor,
  requestId: 'r',
  address: '127.0.0.1',
  userAgent: undefined,
}

const change = (kind = 'node'): RecordChange => ({
  kind,
  type: 'created',
  id: ID,
  realmId: null,
  origin,
  previous: undefined,
  next: { id: ID },
})

async function open() {
  const scene = await OutboxScene.open()
  let wakes = 0
  const close = onOutboxWritten(() => void wakes++)
  return {
    scene,
    wakes: () => wakes,
    rows: async () => {
      const { rows } = await scene.pool.query('select * from outbox order by position')
      return rows
    },
    async close() {
      close()
      await scene.close()
    },
  }
}

test.group('Writing to the outbox', () => {
  test('the outbox stores a change with its transaction, and notifies the relay after the commit', async ({
    assert,
    cleanup,
  }) => {
    const { scene, wakes, rows, close } = await open()
    cleanup(close)
    await inTransaction(scene.pool, async (transaction) => {
      await publishChange(transaction, change())
      await publishChange(transaction, change())
      assert.equal(wakes(), 0)
      assert.isEmpty(await rows())
    })
    assert.equal(wakes(), 1)
    const kept = await rows()
    assert.deepEqual(
      kept.map(({ pending, ordered_by: orderedBy }) => ({ pending, orderedBy })),
      Array.from({ length: 2 }, () => ({ pending: 15, orderedBy: `node/${ID}` }))
    )
    assert.match(kept[0].message_id, /^[0-9a-z]{21}$/)
    assert.notEqual(kept[0].message_id, kept[1].message_id)
  })

  test('the outbox stores nothing of a rolled back transaction, and notifies no listener', async ({
    assert,
    cleanup,
  }) => {
    const { scene, wakes, rows, close } = await open()
    cleanup(close)
    const work = inTransaction(scene.pool, async (transaction) => {
      await publishChange(transaction, change())
      throw new Error('no')
    })
    await assert.rejects(() => work)
    assert.isEmpty(await rows())
    assert.equal(wakes(), 0)
  })

  test('the outbox does not audit kinds that are excluded', async ({ assert, cleanup }) => {
    const { scene, rows, close } = await open()
    cleanup(close)
    await inTransaction(scene.pool, (transaction) => publishChange(transaction, change(event.name)))
    const [{ pending }] = await rows()
    assert.equal(pending, 14)
  })

  test('the outbox stores a command unchanged, for its queue', async ({ assert, cleanup }) => {
    const { scene, rows, close } = await open()
    cleanup(close)
    const command = newMessage(commandRouting('analysisBuilderCommands'), 'execute', { id: ID })
    await inTransaction(scene.pool, (transaction) =>
      publishCommand(transaction, command, `analysis/${ID}`)
    )
    const [row] = await rows()
    assert.containsSubset(row, {
      pending: 16,
      queue: 'analysisBuilderCommands',
      message_id: command.id,
      ordered_by: `analysis/${ID}`,
      content: { command },
    })
  })

  test('the outbox stores a security event outside of transactions, for the audit trail only', async ({
    assert,
    cleanup,
  }) => {
    const { wakes, rows, close } = await open()
    cleanup(close)
    await publishSecurityEvent({
      type: 'secretRead',
      subject: 'client',
      id: ID,
      realmId: null,
      origin,
      permissions: [],
    })
    const [{ pending, content }] = await rows()
    assert.equal(pending, 1)
    assert.equal(content.security.event, 'secretRead')
    assert.equal(wakes(), 1)
  })
})

import { test } from '@japa/runner'

import { inboxSweep, outboxSweep } from '#outbox/sweeps'
import { OutboxScene } from './outbox_scene.js'

const { signal } = new AbortController()

test.group('Sweeps of the bus', () => {
  test('notifications that were undelivered for a day are dropped, the rest stays', async ({
    assert,
    cleanup,
  }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    await scene.pool.query(
      `insert into outbox (message_id, ordered_by, content, pending, written_at) values
         ('old news', 'a', '{}', 12, now() - interval '25 hours'),
         ('old news and audit', 'b', '{}', 5, now() - interval '25 hours'),
         ('old audit', 'c', '{}', 3, now() - interval '25 hours'),
         ('news', 'd', '{}', 12, now())`
    )
    assert.equal(await outboxSweep.run(signal), 2)
    const { rows } = await scene.pool.query(
      'select message_id as id, pending from outbox order by position'
    )
    assert.deepEqual(rows, [
      { id: 'old news and audit', pending: 1 },
      { id: 'old audit', pending: 3 },
      { id: 'news', pending: 12 },
    ])
  })

  test('inbox entries are deleted after a week', async ({ assert, cleanup }) => {
    const scene = await OutboxScene.open()
    cleanup(() => scene.close())
    await scene.pool.query('delete from inbox')
    await scene.pool.query(
      `insert into inbox (consumer, message_id, created_at)
       select 'q', n::text, now() - interval '8 days' from generate_series(1, 2500) n`
    )
    await scene.pool.query(`insert into inbox (consumer, message_id) values ('q', 'new')`)
    assert.equal(await inboxSweep.run(signal), 2_500)
    const { rows } = await scene.pool.query('select message_id as id from inbox')
    assert.deepEqual(rows, [{ id: 'new' }])
    await scene.pool.query('delete from inbox')
  })
})

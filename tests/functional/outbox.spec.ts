import { test } from '@japa/runner'
import pg from 'pg'

import type { ChangeContent } from '#outbox/entry'
import { onOutboxWritten } from '#outbox/wakeups'
import { at } from '#tests/helpers/application'
import { noteGatheredRefusals } from '#tests/helpers/container'
import { identity } from '#tests/helpers/identities'
import { realTime } from '#tests/helpers/real_time'

let notifications = 0
const pool = () => new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 })

interface StoredEntry {
  pending: number
  orderedBy: string
  content: { change: ChangeContent }
}

async function storedEntriesOf(id: string): Promise<StoredEntry[]> {
  const database = pool()
  const { rows } = await database.query<StoredEntry>(
    `select pending, ordered_by as "orderedBy", content from outbox
     where content->'change'->>'id' = $1 order by position`,
    [id]
  )
  await database.end()
  return rows
}

/** Work that earlier tests started may still run for a moment. */
async function othersAreDone(): Promise<void> {
  do {
    notifications = 0
    await realTime(250, 'nothing shows when the work of earlier tests is over')
  } while (notifications > 0)
}

test.group('Changes through HTTP', (group) => {
  group.each.setup(async () => {
    await noteGatheredRefusals()
    notifications = 0
    return onOutboxWritten(() => void notifications++)
  })

  test('each stores one entry with its actor and source', async ({ client, assert }) => {
    await othersAreDone()
    const { actor, headers } = identity()
    const body = { name: 'outbox', host: 'registry.example', accountSecret: 'not-to-be-seen' }
    const created = await client.post(at('core', '/registries')).headers(headers).json(body)
    const { id } = created.body().data
    const path = at('core', `/registries/${id}`)
    await client
      .post(path)
      .headers({ ...headers, 'user-agent': 'a test' })
      .json({ name: 'renamed', accountSecret: 'another-secret' })
    await client.delete(path).headers(headers)

    const kept = await storedEntriesOf(id)
    assert.deepEqual(
      kept.map(({ content }) => content.change.change),
      ['created', 'updated', 'deleted']
    )
    assert.isTrue(kept.every(({ orderedBy }) => orderedBy === `registry/${id}`))
    assert.isTrue(kept.every(({ pending }) => pending === 15))
    const { diff, data, doer, isLasting } = kept[1]!.content.change
    assert.deepEqual(diff, { name: { next: 'renamed', previous: 'outbox' } })
    assert.isTrue(isLasting, 'another secret is remembered')
    assert.equal(data.name, 'renamed')
    assert.match(data.updatedAt as string, /Z$/)
    assert.deepEqual(doer, {
      actor: { type: 'user', id: actor.id, name: actor.name },
      address: '127.0.0.1',
      userAgent: 'a test',
      method: 'POST',
      path: `/core/registries/${id}`,
    })
    for (const secret of ['not-to-be-seen', 'another-secret']) {
      assert.notInclude(JSON.stringify(kept), secret)
    }
    assert.equal(notifications, 3)
  })

  test('a rejected one stores none', async ({ client, assert }) => {
    const { headers } = identity({ permissions: [] })
    const response = await client
      .post(at('core', '/registries'))
      .headers(headers)
      .json({ name: 'refused', host: 'registry.example' })
    response.assertStatus(403)
    const database = pool()
    const { rows } = await database.query(
      `select 1 from outbox where content->'change'->'data'->>'name' = 'refused'`
    )
    await database.end()
    assert.isEmpty(rows)
  })
})

import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { telemetryPool } from '#telemetry/database'
import { at, boot } from '#tests/helpers/application'
import { identity, REALMS } from '#tests/helpers/identities'

const OWN = clock.uuid()
const ALL = ['event_create', 'event_read', 'event_delete']

const master = identity({ permissions: ALL, realmId: REALMS.master, realmName: 'master' })
const stranger = identity({ permissions: ALL, realmId: REALMS.other, realmName: 'other' })
const local = identity({ permissions: ALL, realmId: OWN, realmName: 'own' })

async function request(method: string, path: string, body?: object, { headers } = master) {
  const response = await fetch(at('telemetry', path), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as any }
}

const message = (more: object = {}) => ({
  scope: 'builder',
  name: 'executionStarted',
  refType: 'analysis',
  refId: clock.uuid(),
  ...more,
})

const about = (refId: string, more = '') =>
  `/events?filter=and(eq(refType,'analysis'),eq(refId,'${refId}'))${more}`

test.group('Events over HTTP', (group) => {
  group.setup(async () => void (await boot()))

  test('everything that is sent is stored and returned', async ({ assert }) => {
    const sent = message({
      data: { diff: { name: { next: 'b', previous: 'a' } } },
      expiring: true,
      requestPath: '/analyses',
      requestMethod: 'POST',
      requestIpAddress: '2001:db8::1',
      requestUserAgent: 'curl/8',
      actorType: 'user',
      actorId: clock.uuid(),
      actorName: 'al',
      realmId: REALMS.other,
      expiresAt: '2031-04-05T06:07:08.000Z',
    })
    const created = await request('POST', '/events', sent)
    assert.equal(created.status, 201)
    assert.deepEqual(created.body.meta, {})
    const { id, createdAt, updatedAt, reportedBy, ...kept } = created.body.data
    assert.deepEqual(kept, sent)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual(reportedBy, { id: master.actor.id, realmId: REALMS.master, type: 'user' })
    assert.approximately(Date.parse(createdAt), Date.now(), 60_000)
    const read = await request('GET', `/events/${id}`)
    assert.deepEqual(read.body.data, created.body.data)
    const listed = await request('GET', about(sent.refId))
    assert.deepEqual(listed.body.data, [created.body.data])
    assert.equal(listed.body.meta.total, 1)
  })

  test('events that are posted at once are sealed together, and each is answered with its own', async ({
    assert,
  }) => {
    const realmId = clock.uuid()
    const names = Array.from({ length: 60 }, (_, number) => `event-${number}`)
    const answers = await Promise.all(
      names.map((name) => request('POST', '/events', message({ name, realmId })))
    )
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.data.name]),
      names.map((name) => [201, name])
    )
    const { rows } = await telemetryPool().query(
      'select count(*)::int as batches, sum(size)::int as events from event_batches where chain = $1',
      [realmId]
    )
    assert.equal(rows[0].events, names.length)
    assert.isBelow(rows[0].batches, names.length / 2)
  })

  test('missing fields are null, and nothing expires by default', async ({ assert }) => {
    const { body } = await request('POST', '/events', message())
    assert.lengthOf(Object.keys(body.data), 19)
    assert.containsSubset(body.data, {
      data: null,
      expiring: false,
      expiresAt: null,
      actorId: null,
      requestPath: null,
      realmId: REALMS.master,
    })
  })

  test('what does not fit is truncated or dropped, and the event is stored', async ({ assert }) => {
    const { status, body } = await request(
      'POST',
      '/events',
      message({
        requestPath: 'p'.repeat(300),
        requestUserAgent: `a\0${'u'.repeat(600)}`,
        requestIpAddress: 'localhost',
        actorName: 'n'.repeat(70),
        data: { note: 'x', diff: { token: { next: 'b', previous: 'a' } } },
      })
    )
    assert.equal(status, 201)
    assert.lengthOf(body.data.requestPath, 256)
    assert.lengthOf(body.data.requestUserAgent, 512)
    assert.lengthOf(body.data.actorName, 64)
    assert.isNull(body.data.requestIpAddress)
    assert.deepEqual(body.data.data, { diff: {} })
  })

  test('a body of more than 64 KiB is refused', async ({ assert }) => {
    const refId = clock.uuid()
    const large = { diff: { name: { next: 'n'.repeat(64 * 1024), previous: null } } }
    const { status, body } = await request('POST', '/events', message({ refId, data: large }))
    assert.equal(status, 413)
    assert.equal(body.code, 'payload_too_large')
    assert.equal((await request('GET', about(refId))).body.meta.total, 0)
    const fitting = { diff: { name: { next: 'n'.repeat(60 * 1024), previous: null } } }
    assert.equal((await request('POST', '/events', message({ refId, data: fitting }))).status, 201)
  })

  test('{0} is refused')
    .with([
      ['a scope of another vocabulary', { scope: 'ENTITY' }, 'scope'],
      ['a name that is too short', { name: 'ab' }, 'name'],
      ['a name with a zero in it', { name: 'abc\0' }, 'name'],
      ['a reference that is no uuid', { refId: 'analysis-1' }, 'refId'],
      ['a flag that is null', { expiring: null }, 'expiring'],
      ['a time with an offset', { expiresAt: '2031-04-05T06:07:08+02:00' }, 'expiresAt'],
      ['a day that is not in the calendar', { expiresAt: '2031-02-30T00:00:00Z' }, 'expiresAt'],
      ['data that is a list', { data: [] }, 'data'],
    ] as [string, object, string][])
    .run(async ({ assert }, [, more, attribute]) => {
      const { status, body } = await request('POST', '/events', message(more))
      assert.equal(status, 400)
      assert.deepEqual(
        body.issues.map(({ path }: { path: string[] }) => path),
        [[attribute]]
      )
    })

  test('the permission to write events is checked before the body', async ({ assert }) => {
    const reader = identity({ permissions: ['event_read'] })
    const { status, body } = await request('POST', '/events', {}, reader)
    assert.equal(status, 403)
    assert.equal(body.issues[0].code, 'permission_not_found')
  })

  test('events belongs to the realm of its sender, and to another one only where that may be written', async ({
    assert,
  }) => {
    const own = await request('POST', '/events', message(), stranger)
    assert.equal(own.body.data.realmId, REALMS.other)
    const foreign = await request('POST', '/events', message({ realmId: OWN }), stranger)
    assert.equal(foreign.status, 403)
    const sent = await request('POST', '/events', message({ realmId: OWN }), master)
    assert.equal(sent.body.data.realmId, OWN)
  })

  test('events are seen by their own realm, and those of none by everybody', async ({ assert }) => {
    const refId = clock.uuid()
    const ids: Record<string, string> = {}
    for (const realmId of [OWN, REALMS.other]) {
      const { body } = await request('POST', '/events', message({ refId, realmId }))
      ids[realmId] = body.data.id
    }
    const { body: none } = await request('POST', '/events', message({ refId }))
    await telemetryPool().query('update events set realm_id = null where id = $1', [none.data.id])

    const seen = async (who: typeof master, more?: string) => {
      const { body } = await request('GET', about(refId, more), undefined, who)
      return { ids: body.data.map(({ id }: { id: string }) => id), total: body.meta.total }
    }
    const all = [none.data.id, ids[REALMS.other], ids[OWN]]
    assert.deepEqual(await seen(master), { ids: all, total: 3 })
    assert.deepEqual(await seen(stranger), { ids: [all[0], all[1]], total: 2 })
    assert.deepEqual(await seen(local), { ids: [all[0], all[2]], total: 2 })
    assert.deepEqual(await seen(local, '&page[limit]=1&page[offset]=1'), {
      ids: [all[2]],
      total: 2,
    })
    assert.deepEqual(await seen(local, '&sort=createdAt'), { ids: [all[2], all[0]], total: 2 })

    const status = async (id: string) =>
      (await request('GET', `/events/${id}`, undefined, local)).status
    assert.deepEqual(
      [await status(all[0]), await status(ids[REALMS.other]!), await status(ids[OWN]!)],
      [200, 404, 200]
    )
  })

  test('a page of one of two realms is the newest of both, and the next page continues', async ({
    assert,
  }) => {
    const realmId = clock.uuid()
    const reader = identity({ permissions: ALL, realmId, realmName: 'pages' })
    const refId = clock.uuid()
    await telemetryPool().query(
      `insert into events (id, scope, name, ref_type, ref_id, realm_id, created_at)
       select gen_random_uuid(), 'entity', 'created', 'analysis', $1, case when n % 3 = 0 then null else $2::uuid end,
              now() - n * interval '1 second' from generate_series(1, 70) n`,
      [refId, realmId]
    )
    const page = async (offset: number) => {
      const path = about(refId, `&page[limit]=20&page[offset]=${offset}`)
      const { body } = await request('GET', path, undefined, reader)
      assert.equal(body.meta.total, 70)
      return body.data.map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt))
    }
    const times = [
      ...(await page(0)),
      ...(await page(20)),
      ...(await page(40)),
      ...(await page(60)),
    ]
    assert.lengthOf(times, 70)
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one)
    )
  })

  test('events are deleted by their realm, those of none by the master realm only', async ({
    assert,
  }) => {
    const { body } = await request('POST', '/events', message({ realmId: OWN }))
    const { id } = body.data
    assert.equal((await request('DELETE', `/events/${id}`, undefined, stranger)).status, 403)
    const deleted = await request('DELETE', `/events/${id}`, undefined, local)
    assert.equal(deleted.status, 202)
    assert.deepEqual(deleted.body, { data: body.data, meta: {} })
    assert.equal((await request('GET', `/events/${id}`)).status, 404)

    const { body: none } = await request('POST', '/events', message())
    await telemetryPool().query('update events set realm_id = null where id = $1', [none.data.id])
    assert.equal(
      (await request('DELETE', `/events/${none.data.id}`, undefined, stranger)).status,
      403
    )
    assert.equal((await request('DELETE', `/events/${none.data.id}`)).status, 202)
  })

  test('events may be read by whoever may delete them; a change of them has no route', async ({
    assert,
  }) => {
    const { body } = await request('POST', '/events', message())
    const remover = identity({ permissions: ['event_delete'], realmName: 'master' })
    assert.equal((await request('GET', `/events/${body.data.id}`, undefined, remover)).status, 200)
    const change = await request('POST', `/events/${body.data.id}`, { name: 'other' })
    assert.equal(change.status, 404)
  })

  test('events are filtered and sorted by declared keys, and a time is not a filter', async ({
    assert,
  }) => {
    for (const key of ['createdAt', 'updatedAt']) {
      const { status } = await request('GET', `/events?filter=eq(${key},'2031-01-01T00:00:00Z')`)
      assert.equal(status, 400)
    }
    assert.equal((await request('GET', '/events?sort=-updatedAt')).status, 200)
    const ofUi = `/events?filter=and(in(realmId,'${OWN}',null),contains(name,'upd'))&sort=-createdAt`
    assert.equal((await request('GET', ofUi)).status, 200)
  })

  test('older rows keep the keys of their differences', async ({ assert }) => {
    const id = clock.uuid()
    const data = { diff: { display_name: { next: 'b', previous: 'a' } }, extra: [1] }
    await telemetryPool().query(
      `insert into events (id, scope, name, ref_type, data) values ($1, 'entity', 'updated', 'node', $2)`,
      [id, JSON.stringify(data)]
    )
    const { body } = await request('GET', `/events/${id}`)
    assert.deepEqual(body.data.data, data)
  })
})

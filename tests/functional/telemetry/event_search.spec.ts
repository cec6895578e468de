import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { at, boot } from '#tests/helpers/application'
import {
  storedByPlatform,
  storedEvent,
  storedEventOfNoRealm,
} from '#tests/helpers/console/stored_event'
import { identity, REALMS } from '#tests/helpers/identities'

const reader = identity({ permissions: ['event_read'] })

async function search(query: string, { headers } = reader) {
  const response = await fetch(at('telemetry', `/events/search${query}`), { headers })
  const body = (await response.json()) as any
  return { status: response.status, body, ids: body.data?.map(({ id }: any) => id) }
}

test.group('A search for events', (group) => {
  group.setup(async () => void (await boot()))

  test('the search finds those of any of several actors, as single reads return them', async ({
    assert,
  }) => {
    const [one, other] = [clock.uuid(), clock.uuid()]
    const first = await storedEvent({ actorId: one, name: 'created' })
    const second = await storedEvent({ actorId: other })
    await storedEvent({ actorId: clock.uuid() })
    const { body, ids } = await search(`?actorId=${one},${other}`)

    assert.deepEqual(ids, [second.id, first.id])
    assert.deepEqual(body.data, [second, first])
    assert.deepEqual(body.meta, { limit: 50, next: null })
  })

  test('combines record, name, scope and time', async ({ assert }) => {
    const refId = clock.uuid()
    const event = await storedEvent({ refId, name: 'renamed' })
    const { createdAt } = event
    const later = new Date(Date.parse(createdAt) + 1).toISOString()

    assert.deepEqual((await search(`?refType=node&refId=${refId}&name=RENAMED&scope=entity`)).ids, [
      event.id,
    ])
    assert.deepEqual((await search(`?refId=${refId}&from=${createdAt}&to=${later}`)).ids, [
      event.id,
    ])
    assert.deepEqual((await search(`?refId=${refId}&to=${createdAt}`)).ids, [])
    assert.deepEqual((await search(`?refId=${refId}&from=${later}`)).ids, [])
    assert.deepEqual((await search(`?refId=${refId}&scope=builder`)).ids, [])
  })

  test('the search finds what the platform recorded itself, whatever callers reported of the name', async ({
    assert,
  }) => {
    const refId = clock.uuid()
    await storedEvent({ refId, name: 'trailIntact' })
    const own = await storedByPlatform({ refId, name: 'trailIntact' })

    assert.deepEqual((await search(`?refId=${refId}&reporter=platform`)).ids, [own.id])
    assert.lengthOf((await search(`?refId=${refId}`)).ids, 2)
    assert.equal((await search(`?refId=${refId}&reporter=anybody`)).status, 400)
  })

  test('pages neither repeat nor miss an event, even with equal times', async ({ assert }) => {
    const refId = clock.uuid()
    const sent = Array.from({ length: 7 }, () => storedEvent({ refId }))
    const stored = (await Promise.all(sent)).map(({ id }) => id)
    const found: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const page = await search(`?refId=${refId}&limit=2${next && `&before=${next}`}`)
      assert.isAtMost(page.ids.length, 2)
      found.push(...page.ids)
      next = page.body.meta.next
    }

    assert.lengthOf(found, 7)
    assert.sameMembers(found, stored)
  })

  test('the search finds what the caller may read elsewhere, and nothing more', async ({
    assert,
  }) => {
    const actorId = clock.uuid()
    const own = await storedEvent({ actorId, realmId: REALMS.other })
    const ofNone = await storedEventOfNoRealm(actorId)
    await storedEvent({ actorId, realmId: clock.uuid() })
    const traits = { realmId: REALMS.other, realmName: 'other' }
    const member = identity({ ...traits, permissions: ['event_read'] })
    const stranger = identity({ ...traits, permissions: [] })

    assert.deepEqual((await search(`?actorId=${actorId}`, member)).ids, [ofNone.id, own.id])
    assert.equal((await search('', stranger)).status, 403)
    assert.lengthOf((await search(`?actorId=${actorId}`)).ids, 3)
  })

  test('the search rejects what it does not understand, rather than finding more', async ({
    assert,
  }) => {
    const wrong = [
      '?actor=x',
      '?actorId=somebody',
      '?from=yesterday',
      '?from=2026-02-31T00:00:00Z',
      '?before=1',
      '?limit=0',
      '?name=a&name=b',
      `?before=2026-02-31T00:00:00.000Z_${clock.uuid()}`,
    ]
    for (const query of wrong) {
      const { status, body } = await search(query)
      assert.equal(status, 400, query)
      assert.isNotEmpty(body.issues, query)
    }
  })
})

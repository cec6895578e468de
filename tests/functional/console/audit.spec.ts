import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { useSecuritySink } from '#tests/helpers/container'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'
import {
  storedByPlatform,
  storedEvent,
  storedEventOfNoRealm,
} from '#tests/helpers/console/stored_event'
import { identity, REALMS } from '#tests/helpers/identities'
import type { SecurityEvent } from '#audit/security_event'

const HOSTILE = '<script>alert(1)</script>'

const auditor = () => ConsoleVisitor.as({ permissions: ['event_read'] })

/** The ids of the events that a page lists, in their order. */
const listed = (text: string) =>
  [...text.matchAll(/audit\/events\/([0-9a-f-]{36})/g)].map(([, id]) => id)

test.group('The audit page', () => {
  test('the page lists events by who did them, the newest first', async ({ assert }) => {
    const actorId = clock.uuid()
    const first = await storedEvent({ actorId })
    const second = await storedEvent({ actorId, name: 'deleted' })
    await storedEvent({ actorId: clock.uuid() })
    const page = await auditor().open(`/audit?who=${actorId}`)

    assert.equal(page.status, 200)
    assert.deepEqual(listed(page.text), [second.id, first.id])
  })

  test('filters by kind and record, by what happened, and by day', async ({ assert }) => {
    const refId = clock.uuid()
    const made = await storedEvent({ refId, name: 'created' })
    const changed = await storedEvent({ refId, name: 'updated' })
    const today = made.createdAt.slice(0, 10)
    const visitor = auditor()
    const found = async (more: string) =>
      listed((await visitor.open(`/audit?record=${refId}${more}`)).text)

    assert.deepEqual(await found('&kind=node'), [changed.id, made.id])
    assert.deepEqual(await found('&kind=project'), [])
    assert.deepEqual(await found('&what=created'), [made.id])
    assert.deepEqual(await found(`&from=${today}&to=${today}`), [changed.id, made.id])
    assert.deepEqual(await found('&to=2020-01-01'), [])
    assert.deepEqual(await found('&from=2999-01-01'), [])
  })

  test('the page continues where a page ended, and comes back to the newest', async ({
    assert,
  }) => {
    const refId = clock.uuid()
    const events: string[] = []
    for (let number = 0; number < 60; number++) {
      events.unshift((await storedEvent({ refId })).id)
    }
    const visitor = auditor()
    const first = await visitor.open(`/audit?kind=node&record=${refId}`)
    const [, older = ''] = /rel="next"\s+href="([^"]+)"/.exec(first.text) ?? []
    const path = older.replaceAll('&amp;', '&').replace(/^.*(?=\/audit)/, '')
    const second = await visitor.open(path)

    assert.deepEqual([...listed(first.text), ...listed(second.text)], events)
    assert.include(second.text, 'rel="first"')
    assert.notInclude(second.text, 'rel="next"')
  })

  test('who changed a node is two clicks from the overview', async ({ assert }) => {
    const event = await storedEvent({ actorName: 'Dr. Who', actorId: clock.uuid() })
    const visitor = auditor()
    const page = await visitor.open('/audit')

    assert.include(listed(page.text), event.id)
    assert.include(page.text, 'Dr. Who')
  })

  test('an unknown name says so, and shows nothing else', async ({ assert }) => {
    const page = await auditor().open('/audit?who=nobody-of-this-name')

    assert.equal(page.status, 200)
    assert.deepEqual(listed(page.text), [])
    assert.include(page.text, 'You can see nobody of this name')
  })

  test('the page shows what others wrote as text', async ({ assert }) => {
    const { id } = await storedEvent({
      actorName: HOSTILE,
      actorId: clock.uuid(),
      name: `<img src=x>`,
      requestUserAgent: HOSTILE,
      data: { diff: { name: { next: HOSTILE, previous: null } } },
    })
    const visitor = auditor()
    const pages = await Promise.all([
      visitor.open('/audit'),
      visitor.open(`/audit/events/${id}`),
      visitor.open(`/audit?who=${encodeURIComponent('"><script>x</script>')}`),
    ])
    for (const { text, status } of pages) {
      assert.equal(status, 200)
      assert.notMatch(text, /<script>|<img src=x>/)
    }
    assert.include(pages[1]!.text, '&lt;script&gt;')
  })

  test('one event says what was before and after', async ({ assert }) => {
    const { id } = await storedEvent({
      data: { diff: { name: { next: 'north-clinic', previous: 'south-clinic' } } },
    })
    const page = await auditor().open(`/audit/events/${id}`)

    assert.match(page.text, /south-clinic[^]*north-clinic/)
    assert.equal((await auditor().open(`/audit/events/${clock.uuid()}`)).status, 404)
    assert.equal((await auditor().open('/audit/events/no-id')).status, 404)
  })

  test('what a reporter says is marked, and what the platform recorded is not', async ({
    assert,
  }) => {
    const refId = clock.uuid()
    const origin = { requestIpAddress: '203.0.113.9', requestPath: '/core/nodes' }
    const claimed = await storedEvent({ refId, ...origin })
    const own = await storedByPlatform({ refId, ...origin })
    const visitor = auditor()
    const [ofReporter, ofPlatform, list] = await Promise.all([
      visitor.open(`/audit/events/${claimed.id}`),
      visitor.open(`/audit/events/${own.id}`),
      visitor.open(`/audit?record=${refId}`),
    ])

    assert.match(ofReporter.text, /203\.0\.113\.9\s+<span class="badge warn">as reported/)
    assert.match(ofReporter.text, /\/core\/nodes<\/code>\s+<span class="badge warn">as reported/)
    assert.include(ofReporter.text, 'role="note"')
    assert.include(ofPlatform.text, '203.0.113.9')
    assert.notInclude(ofPlatform.text, 'as reported')
    assert.lengthOf(list.text.match(/as reported/g)!, 1)
  })

  test('members of a realm see their events and those of none', async ({ assert }) => {
    const actorId = clock.uuid()
    const own = await storedEvent({ actorId, realmId: REALMS.other })
    const ofNone = await storedEventOfNoRealm(actorId)
    const foreign = await storedEvent({ actorId, realmId: REALMS.master })
    const traits = { realmId: REALMS.other, realmName: 'other', permissions: ['event_read'] }
    const visitor = ConsoleVisitor.as(traits)
    const page = await visitor.open(`/audit?who=${actorId}`)

    assert.sameMembers(listed(page.text), [own.id, ofNone.id])
    assert.equal((await visitor.open(`/audit/events/${foreign.id}`)).status, 404)
  })

  test('the page needs the permission to read events', async ({ assert }) => {
    const visitor = ConsoleVisitor.as({ permissions: [] })
    for (const path of ['/audit', '/audit/proof', '/audit/export']) {
      const { status, text } = await visitor.open(path)
      assert.equal(status, 403, path)
      assert.include(text, 'event_read', path)
    }
  })
})

test.group('The proof page', () => {
  test('a verification says whether the trail is intact, and is recorded', async ({
    assert,
    cleanup,
  }) => {
    const recorded: SecurityEvent[] = []
    cleanup(useSecuritySink({ record: async (event) => void recorded.push(event) }))
    const realmId = clock.uuid()
    await storedEvent({ realmId })
    const traits = { realmId, realmName: 'own', permissions: ['event_read'] }
    const visitor = ConsoleVisitor.as(traits)
    const before = await visitor.open('/audit/proof')
    const after = await visitor.submit(before, '/audit/proof')

    assert.equal(after.status, 200)
    assert.match(after.text, /Intact[^]*1 events in 1 batches|events in \d+ batches/)
    assert.containsSubset(recorded, [{ subject: 'event', realmId }])
    assert.match(recorded[0]!.type, /^trail(Intact|Changed)$/)
  })

  test('the page shows who verified the trail last, and when', async ({ assert }) => {
    const realmId = clock.uuid()
    const verified = { realmId, refType: 'event', refId: null, name: 'trailIntact' } as const
    const event = await storedByPlatform({ ...verified, actorName: 'night-watch' })
    await storedEvent({ ...verified, actorName: 'somebody else' })
    const traits = { realmId, realmName: 'own', permissions: ['event_read'] }
    const page = await ConsoleVisitor.as(traits).open('/audit/proof')

    assert.include(page.text, event.id)
    assert.include(page.text, 'night-watch')
    assert.notInclude(page.text, 'somebody else')
    assert.include(page.text, 'hubctl audit verify')
  })

  test('a verification from elsewhere is refused', async ({ assert }) => {
    const visitor = auditor()
    const page = await visitor.forge('/audit/proof', { any: 'thing' })

    assert.equal(page.status, 403)
    assert.include(page.text, 'The form was refused')
  })

  test('the export is the one of the interface', async ({ assert }) => {
    const realmId = clock.uuid()
    const event = await storedEvent({ realmId })
    const reader = identity({ realmId, realmName: 'own', permissions: ['event_read'] })
    const visitor = new ConsoleVisitor()
    visitor.become({ accessToken: reader.token })
    const page = await visitor.open('/audit/export')
    const direct = await fetch(at('telemetry', '/events/export'), { headers: reader.headers })

    assert.equal(page.status, 200)
    assert.include(page.headers.get('content-disposition'), 'events.ndjson')
    const linesOf = (text: string) => text.split('\n').filter((line) => line.includes(realmId))
    assert.deepEqual(linesOf(page.text), linesOf(await direct.text()))
    assert.include(page.text, event.id)
  })
})

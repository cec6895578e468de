import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import type { SecurityEvent } from '#audit/security_event'
import { clock } from '#kernel/clock'
import { telemetryPool } from '#telemetry/database'
import { TrailService } from '#telemetry/trail/trail_service'
import { trailKey } from '#telemetry/trail/trail_key'
import { at, boot } from '#tests/helpers/application'
import { useSecuritySink } from '#tests/helpers/container'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'

const SCRIPT = fileURLToPath(new URL('../../../bin/verify_events.mjs', import.meta.url))
const ALL = ['event_create', 'event_read', 'event_delete']

let folder: string
let realmId: string
let member: ReturnType<typeof identity>
const reporter = identity({ permissions: ALL })

const asMember = (permissions: string[]) =>
  identity({ permissions, realmId, realmName: `realm-${realmId}` })

async function request(method: string, path: string, body?: object, { headers } = member) {
  const response = await fetch(at('telemetry', path), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, retryAfter, body: (await response.json()) as any }
}

async function storeEvents(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const event = {
      scope: 'entity',
      realmId,
      name: 'updated',
      refType: 'node',
      refId: clock.uuid(),
      actorId: clock.uuid().toUpperCase(),
      actorName: 'name 𝒳 that is cut within a character ' + '𝒳'.repeat(20),
      data: {
        diff: {
          'name': { next: `b${n}`, previous: 'a \\ "' },
          'age': { next: 1.5, previous: null },
          'age!': { next: true, previous: '' },
        },
      },
      expiring: true,
      expiresAt: '2031-04-05T06:07:08.1234567Z',
    }
    const { body } = await request('POST', '/events', event, reporter)
    ids.push(body.data.id)
  }
  return ids
}

/** The findings in the chain of the test's realm. */
async function findings(): Promise<{ type: string; id?: string }[]> {
  const { body } = await request('GET', '/events/verify')
  return body.data.findings.filter(({ chain }: { chain: string }) => chain === realmId)
}

/** Open transactions that are idle. */
async function openSnapshots(): Promise<number> {
  const { rows } = await telemetryPool().query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction' and query like '%event_%'`
  )
  return rows[0]!.count
}

async function exported(): Promise<string> {
  const response = await fetch(at('telemetry', '/events/export'), { headers: member.headers })
  return response.text()
}

/** The lines of the chain of the test's realm, and the first line with the key. */
function ownLines(lines: string): string[] {
  const [first, ...rest] = lines.trim().split('\n')
  const end = rest.findIndex((line) => line.includes('"head"') && line.includes(realmId))
  return [first!, ...rest.slice(0, end + 1)]
}

async function checked(lines: string[], fingerprint = trailKey().fingerprint) {
  const file = join(folder, 'events.ndjson')
  await writeFile(file, lines.join('\n'))
  const script = spawn(process.execPath, [SCRIPT, file, fingerprint])
  const [said, complained, [code]] = await Promise.all([
    text(script.stdout),
    text(script.stderr),
    once(script, 'close'),
  ])
  return { said, complained, code }
}

test.group('The proof of the audit trail', (group) => {
  group.setup(async () => void (await boot()))
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trail-'))
    realmId = clock.uuid()
    member = asMember(ALL)
    return () => rm(folder, { recursive: true })
  })

  test('what came in by HTTP is sealed as it is read', async ({ assert }) => {
    await storeEvents(3)

    assert.deepEqual(await findings(), [])
  })

  test('a changed row, its reporter included, and a removed one are reported', async ({
    assert,
  }) => {
    const [first, second, third] = await storeEvents(3)
    await telemetryPool().query(`update events set name = 'created' where id = $1`, [first])
    await telemetryPool().query('delete from events where id = $1', [second])
    await telemetryPool().query('update events set reported_by = null where id = $1', [third])

    const found = await findings()

    assert.sameDeepMembers(
      found.map(({ type, id }) => ({ type, id })),
      [
        { type: 'changed', id: first },
        { type: 'missing', id: second },
        { type: 'changed', id: third },
      ]
    )
  })

  test('an event that was deleted by the route is not missed', async ({ assert }) => {
    const [first] = await storeEvents(2)
    const { status } = await request('DELETE', `/events/${first}`)

    assert.equal(status, 202)
    assert.deepEqual(await findings(), [])
  })

  test('members of a realm see their chain and that of events without a realm', async ({
    assert,
  }) => {
    await storeEvents(1)

    const { body } = await request('GET', '/events/verify')

    assert.equal(body.data.chains, 2)
    assert.equal(body.data.reporters.user, 1)
  })

  test('whoever may not read events gets neither proof nor export', async ({ assert }) => {
    const deleting = asMember(['event_delete'])

    for (const path of ['/events/verify', '/events/export']) {
      const { status } = await request('GET', path, undefined, deleting)
      assert.equal(status, 403, path)
    }
  })

  test('unread exports block neither verifications nor other callers', async ({ assert }) => {
    const trail = await app.container.make(TrailService)
    const origin = {
      actor: member.actor,
      requestId: 'test',
      address: '127.0.0.1',
      userAgent: undefined,
    }
    const [first, second] = [await trail.export(origin), await trail.export(origin)]
    try {
      await Promise.all([once(first, 'readable'), once(second, 'readable')])
      assert.equal((await request('GET', '/events/verify')).status, 200)
      const third = await request('GET', '/events/export')
      assert.deepEqual([third.status, third.retryAfter], [429, '30'])
      assert.equal(third.body.code, 'rate_limited')
      const other = await fetch(at('telemetry', '/events/export'), {
        headers: asMember(ALL).headers,
      })
      assert.equal(other.status, 200)
      await other.text()
      await eventually(async () => (await openSnapshots()) === 0)
    } finally {
      first.destroy()
      second.destroy()
      await Promise.all([once(first, 'close'), once(second, 'close')])
    }
    const again = await fetch(at('telemetry', '/events/export'), { headers: member.headers })
    assert.equal(again.status, 200)
    await again.text()
  })

  test('a second verification of a caller waits for the first, and for no other caller', async ({
    assert,
    cleanup,
  }) => {
    const recording = Promise.withResolvers<void>()
    const recorded = Promise.withResolvers<void>()
    const isOwn = ({ origin }: SecurityEvent) => origin.actor?.id === member.actor.id
    const record = async (event: SecurityEvent) => {
      if (isOwn(event)) {
        recording.resolve()
        await recorded.promise
      }
    }
    cleanup(useSecuritySink({ record }))
    const first = request('GET', '/events/verify')
    await recording.promise
    const second = await request('GET', '/events/verify')
    const other = await request('GET', '/events/verify', undefined, asMember(ALL))
    recorded.resolve()

    assert.deepEqual([second.status, second.retryAfter], [429, '30'])
    assert.equal(second.body.code, 'rate_limited')
    assert.equal(other.status, 200)
    assert.equal((await first).status, 200)
  })

  test('an export is checked without the platform', async ({ assert }) => {
    const [first] = await storeEvents(4)
    await request('DELETE', `/events/${first}`)

    const { said, code, complained } = await checked(ownLines(await exported()))

    assert.equal(complained, '')
    assert.include(said, '4 events, 1 removed in order, 0 problems')
    assert.include(said, 'reported by user 3, platform 1')
    assert.equal(code, 0)
  })

  test('an export names the claims of a reporter, and none in what the platform recorded', async ({
    assert,
  }) => {
    const claims = { requestPath: '/nodes', requestIpAddress: '203.0.113.9' }
    const event = { scope: 'entity', name: 'updated', refType: 'node', realmId, ...claims }
    const { body: own } = await request('POST', '/events', event)
    const { body: ofAnother } = await request(
      'POST',
      '/events',
      { ...event, actorType: 'user', actorId: clock.uuid() },
      reporter
    )
    const removed = await request('POST', '/events', event)
    await request('DELETE', `/events/${removed.body.data.id}`)

    const lines = ownLines(await exported()).map((line) => JSON.parse(line))
    const claimedIn = (id: string) => lines.find((line) => line.event?.id === id).claimed
    const deletion = lines.find(({ event: { name } = { name: '' } }) => name === 'deleted')

    assert.deepEqual(claimedIn(own.data.id), ['requestPath', 'requestIpAddress'])
    assert.deepEqual(claimedIn(ofAnother.data.id), [
      'requestPath',
      'requestIpAddress',
      'actorType',
      'actorId',
    ])
    assert.deepEqual(deletion.claimed, [])
    assert.isString(deletion.event.requestPath)
  })

  test('an export that was changed, cut or signed by others is found out', async ({ assert }) => {
    await storeEvents(3)
    const lines = ownLines(await exported())
    const changed = lines.map((line) => line.replace('"next":"b1"', '"next":"b9"'))
    const without = lines.filter((line) => !line.includes('"next":"b1"'))
    const cut = lines.slice(0, -1)

    for (const [wrong, problem] of [
      [changed, 'was changed'],
      [without, 'is missing'],
      [cut, 'breaks off'],
    ] as const) {
      const { code, complained } = await checked(wrong)
      assert.equal(code, 1, problem)
      assert.include(complained, problem)
    }
    assert.equal((await checked(lines, '0'.repeat(32))).code, 1)
  })
})

import { test } from '@japa/runner'

import type { SecurityEvent } from '#audit/security_event'
import { analysis } from '#core/analyses/analysis'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { node } from '#core/nodes/node'
import { PLATFORM } from '#telemetry/events/reporter'
import { fetchParticipants } from '#telemetry/logs/fetch_participants'
import { LineOwners } from '#telemetry/logs/line_owners'
import { localLogs } from '#telemetry/logs/local_logs'
import { LogStore } from '#telemetry/logs/log_store'
import { newLineKey } from '#telemetry/logs/line_key'
import { Participants } from '#telemetry/logs/participants'
import { clock } from '#kernel/clock'
import { at, boot } from '#tests/helpers/application'
import { useSecuritySink } from '#tests/helpers/container'
import { followed } from '#tests/helpers/telemetry/followed'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

const REALMS = { institute: clock.uuid(), hospital: clock.uuid(), another: clock.uuid() }

const personOf = (name: keyof typeof REALMS) => identity({ realmId: REALMS[name], realmName: name })

const people = {
  master: identity(),
  institute: personOf('institute'),
  hospital: personOf('hospital'),
  another: personOf('another'),
}

type Person = keyof typeof people

async function request(who: Person, method: string, path: string, body?: object) {
  const response = await fetch(at('telemetry', path), {
    method,
    headers: { ...people[who].headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as any }
}

const aLine = (labels: Record<string, string>, service = 'pipeline') => ({
  message: 'something happened',
  service,
  level: 'info',
  channel: 'http',
  labels,
})

const post = (who: Person, labels: Record<string, string>, service?: string) =>
  request(who, 'POST', '/logs', aLine(labels, service))

const totalFor = async (who: Person, query: string) =>
  (await request(who, 'GET', `/logs?${query}`)).body.meta.total as number

/** An analysis of the institute, with a node of the hospital. */
async function scene() {
  const ofAnalysis = await sampleRecord('core', analysis, { realmId: REALMS.institute })
  const [ofNode, elsewhere] = [
    await sampleRecord('core', node, { realmId: REALMS.hospital }),
    await sampleRecord('core', node, { realmId: REALMS.another }),
  ]
  const ids = { analysisId: ofAnalysis.id as string, nodeId: ofNode.id as string }
  await sampleRecord('core', analysisNode, {
    ...ids,
    analysisRealmId: REALMS.institute,
    nodeRealmId: REALMS.hospital,
  })
  return { ...ids, elsewhere: elsewhere.id as string }
}

/** A line that the platform writes, as core and the bus do. */
async function written(labels: Record<string, string>) {
  const { container } = await boot()
  const [store, owners] = [await container.make(LogStore), await container.make(LineOwners)]
  await localLogs(store, owners).write({
    ...aLine(labels, 'hub-server-core'),
    time: new Date().toISOString(),
    level: 'info',
    channel: 'http',
  })
}

test.group('The owners of log lines', () => {
  test('lines of an analysis are seen by the realms that take part, and by no others', async ({
    assert,
  }) => {
    const { analysisId, nodeId } = await scene()
    const run = clock.uuid()
    await written({ run, refType: 'analysis', refId: analysisId })
    await written({ run, refType: 'analysisNode', analysisId, nodeId })
    await written({ run, refType: 'node', refId: nodeId })
    await written({ run })
    const filters = [
      `filter[run]=${run}`,
      `filter[run]=${run}&filter[level]=!error`,
      `filter=or(eq(run,'${run}'),not(eq(run,'${run}')),eq(level,'info'))&filter[run]=${run}`,
      `filter=eq(run,'${run}')`,
    ]
    for (const query of [filters[0]!, filters[1]!, filters[3]!]) {
      assert.equal(await totalFor('master', query), 4, query)
      assert.equal(await totalFor('institute', query), 2, query)
      assert.equal(await totalFor('hospital', query), 3, query)
      assert.equal(await totalFor('another', query), 0, query)
    }
    const everything = `filter=or(eq(level,'info'),not(eq(level,'info')))`
    const { body } = await request('another', 'GET', `/logs?${everything}`)
    assert.notInclude(JSON.stringify(body), run)
  })

  test('no caller sets or filters by the owner', async ({ assert }) => {
    const run = clock.uuid()
    for (const name of ['_realms', '_reporter']) {
      assert.equal((await post('hospital', { run, [name]: 'x' })).status, 400)
      assert.equal((await request('hospital', 'GET', `/logs?filter[${name}]=x`)).status, 400)
      const expression = `/logs?filter=eq(${name},'x')`
      assert.equal((await request('hospital', 'GET', expression)).status, 400)
    }
  })

  test('a line names who reported it, and one about no record belongs to the realm of that one', async ({
    assert,
  }) => {
    const run = clock.uuid()
    const { status, body } = await post('hospital', { run })
    assert.equal(status, 201)
    const { id } = people.hospital.actor
    const reportedBy = { id, realmId: REALMS.hospital, type: 'user' }
    assert.deepEqual(body.data.reportedBy, reportedBy)
    const listed = await request('hospital', 'GET', `/logs?filter[run]=${run}`)
    assert.deepEqual(listed.body.data[0].reportedBy, reportedBy)
    assert.equal(await totalFor('another', `filter[run]=${run}`), 0)
  })

  test('lines about records of other realms are refused', async ({ assert }) => {
    const { analysisId, nodeId, elsewhere } = await scene()
    const atNode = { refType: 'analysisNode', analysisId, nodeId }
    for (const [who, labels, expected] of [
      ['institute', { refType: 'analysis', refId: analysisId }, 201],
      ['hospital', { refType: 'analysis', refId: analysisId }, 403],
      ['hospital', { refType: 'ANALYSIS', refId: analysisId.toUpperCase() }, 403],
      ['hospital', atNode, 201],
      ['institute', atNode, 403],
      ['another', atNode, 403],
      ['another', { ...atNode, nodeId: elsewhere }, 403],
      ['another', { ...atNode, nodeId: clock.uuid() }, 403],
      ['another', { analysisId }, 403],
      ['another', { refType: 'node', refId: nodeId }, 403],
      ['another', { targetType: 'node', targetId: nodeId }, 403],
      ['another', { refType: 'node', refId: elsewhere }, 201],
      ['master', atNode, 201],
    ] as const) {
      const run = clock.uuid()
      const { status, body } = await post(who, { run, ...labels })
      assert.equal(status, expected, `${who} ${JSON.stringify(labels)}`)
      if (expected === 403) {
        assert.equal(body.code, 'permission_denied')
        assert.equal(await totalFor('master', `filter[run]=${run}`), 0)
      }
    }
  })

  test('no caller outside of the master realm writes in the name of the platform', async ({
    assert,
  }) => {
    for (const name of ['hub-server-core', 'Hub-Server-Core', ' hub_server-x', 'ｈub-server-a']) {
      assert.equal((await post('hospital', {}, name)).status, 403, name)
    }
    assert.equal((await post('hospital', {}, 'github-server')).status, 201)
    assert.equal((await post('master', {}, 'hub-server-core')).status, 201)
  })

  test('a deletion removes what the same caller is shown, and is an event with its actor', async ({
    assert,
    cleanup,
  }) => {
    const recorded: SecurityEvent[] = []
    cleanup(useSecuritySink({ record: async (event) => void recorded.push(event) }))
    const { analysisId } = await scene()
    const run = clock.uuid()
    await written({ run, refType: 'analysis', refId: analysisId })
    await written({ run })
    await post('another', { run })
    const path = `/logs?filter[run]=${run}`
    assert.equal((await request('another', 'DELETE', path)).status, 202)
    assert.equal(await totalFor('master', `filter[run]=${run}`), 2)
    assert.equal((await request('hospital', 'DELETE', path)).status, 202)
    assert.equal(await totalFor('master', `filter[run]=${run}`), 1)
    assert.equal((await request('master', 'DELETE', path)).status, 202)
    assert.equal(await totalFor('master', `filter[run]=${run}`), 0)
    const { id } = people.hospital.actor
    const own = recorded.find(({ origin }) => origin.actor?.id === id)
    assert.containsSubset(own, { type: 'logsDeleted', subject: 'log', realmId: REALMS.hospital })
    assert.include(own?.facts?.filter, run)
    assert.lengthOf(recorded, 3)
  })

  test('the stream shows a realm its own lines only', async ({ assert }) => {
    const run = clock.uuid()
    const lines = await followed(
      at('telemetry', `/logs?filter[run]=${run}`),
      people.hospital.headers
    )
    await post('another', { run, of: 'another' })
    await post('master', { run, of: 'master' })
    await post('hospital', { run, of: 'hospital' })
    const events = await lines.until(1)
    assert.deepEqual(
      events.map(({ data }: any) => data.labels.of),
      ['hospital']
    )
    await lines.leave()
  })

  test('lines of earlier releases belong to the master realm', async ({ assert }) => {
    const run = clock.uuid()
    const { container } = await boot()
    const store = await container.make(LogStore)
    const time = new Date().toISOString()
    const line = { ...aLine({ run }), level: 'info', channel: 'http', time, key: newLineKey() }
    await store.write([line as Parameters<typeof store.write>[0][number]])
    assert.equal(await totalFor('master', `filter[run]=${run}`), 1)
    assert.equal(await totalFor('hospital', `filter[run]=${run}`), 0)
  })

  test('a telemetry of its own asks core over HTTP who takes part', async ({ assert }) => {
    const { analysisId } = await scene()
    const remote = fetchParticipants({
      url: at('core', ''),
      provider: {
        ownToken: async () => people.master.token,
        introspect: async () => undefined as any,
      },
    })
    const local = await (await boot()).container.make(Participants)
    assert.sameMembers([...(await remote(analysisId))!], [REALMS.institute, REALMS.hospital])
    assert.sameMembers([...(await local.find(analysisId))!], [...(await remote(analysisId))!])
    assert.isUndefined(await remote(clock.uuid()))
    assert.isUndefined(await local.find(clock.uuid()))
  })

  test('a line of the platform is stored for the master realm while core does not answer', async ({
    assert,
  }) => {
    const unreachable = fetchParticipants({
      url: 'http://127.0.0.1:1',
      provider: {
        ownToken: async () => people.master.token,
        introspect: async () => undefined as any,
      },
    })
    const owners = new LineOwners({ find: async () => undefined }, { find: unreachable })
    const labels = { refType: 'analysis', refId: clock.uuid() }
    const owner = await owners.ofPlatform(labels, PLATFORM)
    assert.deepEqual(owner, { reportedBy: PLATFORM, realms: [] })
    await assert.rejects(
      () => owners.ofReport(people.hospital.actor, { service: 'mine', labels }),
      /try again shortly/
    )
  })
})

import { test } from '@japa/runner'

import { LogStore } from '#telemetry/logs/log_store'
import { analysis } from '#core/analyses/analysis'
import { remoteLogs } from '#core/analysis_logs/remote_logs'
import type { AnalysisLogStore, NewLogLine } from '#core/analysis_logs/analysis_log_store'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { node } from '#core/nodes/node'
import { clock } from '#kernel/clock'
import { LineOwners } from '#telemetry/logs/line_owners'
import { localLogs } from '#telemetry/logs/local_logs'
import { at, boot } from '#tests/helpers/application'
import { followed } from '#tests/helpers/telemetry/followed'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, person } from './analysis_scene.js'

/** An analysis with a node that belongs to another realm. */
async function anAnalysis() {
  const ofAnalysis = await sampleRecord('core', analysis)
  const ofNode = await sampleRecord('core', node)
  const ids = {
    analysisId: ofAnalysis.id as string,
    nodeId: ofNode.id as string,
    analysisRealmId: ofAnalysis.realmId as string,
    nodeRealmId: ofNode.realmId as string,
  }
  await sampleRecord('core', analysisNode, ids)
  return { ...ids, clientId: ofNode.clientId as string }
}

const master = identity()

const logged = async (labels: Record<string, string>, message: string, at_ = 0) => {
  const store = await (await boot()).container.make(LogStore)
  await localLogs(store, await (await boot()).container.make(LineOwners)).write({
    time: new Date(1_700_000_000_000 + at_).toISOString(),
    message,
    level: labels.level === 'error' ? 'error' : 'info',
    service: 'hub-server-worker',
    channel: 'system',
    labels,
  })
}

const messagesIn = ({ body }: { body: any }) =>
  body.data.map(({ message }: { message: string }) => message)

test.group('Logs of analyses', () => {
  test('log lines are listed by level and in the requested order, with their vocabulary', async ({
    assert,
    client,
  }) => {
    const { analysisId } = await anAnalysis()
    const about = { refType: 'analysis', refId: analysisId }
    await logged(about, 'one', 1)
    await logged({ ...about, level: 'error' }, 'two', 2)
    await logged(about, 'three', 3)
    await logged({ ...about, refType: 'masterImage' }, 'another', 4)
    const path = `/analysis-logs?filter[analysisId]=${analysisId}`
    const response = await client.get(at('core', path)).headers(master.headers)
    response.assertStatus(200)
    const { data, meta } = response.body()
    assert.lengthOf(data, 3)
    assert.containsSubset(meta, { total: 3, limit: 50, offset: 0 })
    assert.equal(meta.schema.name, 'analysisLog')
    assert.deepEqual(messagesIn(await call(master, 'GET', path)), ['three', 'two', 'one'])
    assert.deepEqual(messagesIn(await call(master, 'GET', `${path}&sort=time`)), [
      'one',
      'two',
      'three',
    ])
    assert.deepEqual(messagesIn(await call(master, 'GET', `${path}&filter[level]=error`)), ['two'])
    const second = await call(master, 'GET', `${path}&page[limit]=1&page[offset]=1&sort=time`)
    assert.deepEqual(messagesIn(second), ['two'])
  })

  test('log lines are for the realms that take part, and those who may read them', async ({
    assert,
  }) => {
    const { analysisId, nodeId, analysisRealmId, nodeRealmId } = await anAnalysis()
    const paths = [
      `/analysis-logs?filter[analysisId]=${analysisId}`,
      `/analysis-node-logs?filter[analysisId]=${analysisId}&filter[nodeId]=${nodeId}`,
    ]
    const allowed = (permission: string, realmId: string) =>
      person(realmId, { permissions: [permission] })
    for (const path of paths) {
      for (const method of ['GET', 'DELETE'] as const) {
        const expected = method === 'GET' ? 200 : 202
        const special = method === 'GET' ? 'log_read' : 'log_delete'
        for (const [who, status] of [
          [allowed('analysis_update', analysisRealmId), expected],
          [allowed('analysis_update', nodeRealmId), expected],
          [allowed(special, nodeRealmId), expected],
          [allowed('analysis_update', clock.uuid()), 403],
          [allowed('node_update', nodeRealmId), 403],
        ] as const) {
          assert.equal((await call(who, method, path)).status, status, `${method} ${path}`)
        }
      }
    }
  })

  test('log lines are written by actors that may write for the node, and returned in both forms', async ({
    assert,
  }) => {
    const { analysisId, nodeId, nodeRealmId, analysisRealmId, clientId } = await anAnalysis()
    const site = person(nodeRealmId, { kind: 'client', id: clientId, permissions: [] })
    const sent = { analysisId, nodeId, status: 'running', labels: { own: 'x', analysisId: 'no' } }
    const { status, body } = await call(site, 'POST', '/analysis-node-logs', sent)
    assert.equal(status, 202)
    const { data, meta, ...flat } = body
    assert.deepEqual(flat, data)
    assert.deepEqual(meta, {})
    assert.containsSubset(data, {
      message: 'running',
      level: 'info',
      service: 'hub-server-core',
      channel: 'http',
      labels: { own: 'x', refType: 'analysisNode', analysisId, nodeId, status: 'running' },
    })
    const query = `filter[analysisId]=${analysisId}&filter[nodeId]=${nodeId}`
    const listed = await call(master, 'GET', `/analysis-node-logs?${query}`)
    assert.deepEqual(listed.body.data, [data])
    const elsewhere = await call(person(analysisRealmId), 'POST', '/analysis-node-logs', sent)
    assert.equal(elsewhere.status, 403)
    const stranger = await call(person(clock.uuid()), 'POST', '/analysis-node-logs', sent)
    assert.equal(stranger.status, 403)
  })

  test('log lines are written by the login of their node, or with a permission in its realm, and about nodes that are assigned', async ({
    assert,
  }) => {
    const { analysisId, nodeId, nodeRealmId: realmId } = await anAnalysis()
    const other = await sampleRecord('core', node, { realmId })
    const status = async (by: ReturnType<typeof person>, about: object = {}) => {
      const sent = { analysisId, nodeId, message: 'approved by all', ...about }
      return (await call(by, 'POST', '/analysis-node-logs', sent)).status
    }
    assert.equal(await status(person(realmId, { permissions: [] })), 403)
    assert.equal(await status(person(realmId, { permissions: ['log_read'] })), 403)
    const neighbour = { kind: 'client', id: other.clientId as string } as const
    assert.equal(await status(person(realmId, neighbour)), 403)
    const others = await anAnalysis()
    for (const by of [person(realmId), person(realmId, neighbour), master]) {
      const { analysisId: foreign } = others
      assert.oneOf(await status(by, { analysisId: foreign }), [400, 403])
      assert.oneOf(await status(by, { nodeId: other.id }), [400, 403])
    }
    for (const permission of ['analysis_update', 'log_create']) {
      assert.equal(await status(person(realmId, { permissions: [permission] })), 202)
    }
  })

  test('log lines are streamed to those who may read them', async ({ assert }) => {
    const { analysisId, nodeId, nodeRealmId } = await anAnalysis()
    const query = `filter[analysisId]=${analysisId}&filter[nodeId]=${nodeId}`
    const reader = person(nodeRealmId, { permissions: ['log_read'] })
    const stream = await followed(at('core', `/analysis-node-logs?${query}`), reader.headers)
    assert.equal(stream.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    await logged({ refType: 'analysisNode', analysisId, nodeId: clock.uuid() }, 'elsewhere')
    await logged({ refType: 'analysisNode', analysisId, nodeId }, 'here')
    const [event] = await stream.until(1)
    await stream.leave()
    assert.equal(event!.name, 'log')
    assert.equal(event!.data.message, 'here')
    const stranger = person(clock.uuid(), { permissions: ['log_read'] })
    const refused = await followed(at('core', `/analysis-node-logs?${query}`), stranger.headers)
    assert.equal(refused.response.status, 403)
    await refused.leave()
  })

  test('log lines are refused about what does not exist, or in the wrong realms', async ({
    assert,
  }) => {
    const { analysisId, nodeId } = await anAnalysis()
    for (const [wrong, path] of [
      [{ nodeId: clock.uuid() }, ['nodeId']],
      [{ analysisId: clock.uuid() }, ['analysisId']],
      [{ nodeRealmId: clock.uuid() }, ['nodeRealmId']],
      [{ analysisRealmId: clock.uuid() }, ['analysisRealmId']],
    ] as const) {
      const sent = { analysisId, nodeId, message: 'hello', ...wrong }
      const { status, body } = await call(master, 'POST', '/analysis-node-logs', sent)
      assert.equal(status, 400)
      assert.deepEqual(
        body.issues.map((one: any) => [one.code, one.path]),
        [['value_invalid', path]]
      )
    }
  })

  test('log lines are removed by level on request', async ({ assert }) => {
    const { analysisId, nodeId } = await anAnalysis()
    const about = { refType: 'analysisNode', analysisId, nodeId }
    await logged(about, 'one', 1)
    await logged({ ...about, level: 'error' }, 'two', 2)
    const query = `filter[analysisId]=${analysisId}&filter[nodeId]=${nodeId}`
    for (const also of [
      'filter[lvl]=error',
      'filter[constructor]=x',
      'page[limit]=1',
      'lvl=error',
    ]) {
      const refused = await call(master, 'DELETE', `/analysis-node-logs?${query}&${also}`)
      assert.equal(refused.status, 400, also)
    }
    const removed = await call(master, 'DELETE', `/analysis-node-logs?${query}&filter[level]=error`)
    assert.deepEqual([removed.status, removed.body], [202, null])
    assert.deepEqual(messagesIn(await call(master, 'GET', `/analysis-node-logs?${query}`)), ['one'])
  })
})

const PART = { limit: 10, offset: 0, oldestFirst: false }

for (const driver of ['in process', 'over HTTP'] as const) {
  test.group(`Logs that core reads from telemetry, ${driver}`, (group) => {
    let logs: AnalysisLogStore

    group.setup(async () => {
      const app = await boot()
      logs =
        driver === 'in process'
          ? localLogs(await app.container.make(LogStore), await app.container.make(LineOwners))
          : remoteLogs({
              url: at('telemetry', ''),
              provider: {
                ownToken: async () => master.token,
                introspect: async () => undefined as any,
              },
            })
    })

    test('log lines have all of the labels, in the requested order', async ({ assert }) => {
      const refId = clock.uuid()
      const line = (message: string, name: string): NewLogLine => ({
        time: new Date(1_700_000_000_000 + message.length).toISOString(),
        message,
        level: 'info',
        service: 'hub-server-core',
        channel: 'http',
        labels: { refId, name },
      })
      await logs.write(line('one', `it's`))
      await logs.write(line('three', `it's`))
      await logs.write(line('other', 'another'))
      const labels = { refId, name: `it's` }
      const messages = async (part: typeof PART) => {
        const { records, total } = await logs.list(labels, part)
        assert.equal(total, 2)
        return records.map((text) => JSON.parse(text).message)
      }
      assert.deepEqual(await messages(PART), ['three', 'one'])
      assert.deepEqual(await messages({ ...PART, oldestFirst: true }), ['one', 'three'])
      assert.deepEqual(await messages({ ...PART, limit: 1, offset: 1 }), ['one'])
      await logs.remove(labels)
      assert.equal((await logs.list(labels, PART)).total, 0)
      assert.equal((await logs.list({ refId }, PART)).total, 1)
    })

    test('log lines end before a time, with all that was written until then', async ({
      assert,
    }) => {
      const refId = clock.uuid()
      const times = ['2023-11-14T22:13:20.001Z', '2023-11-14T22:13:20.002Z']
      for (const time of times) {
        const labels = { refId }
        const from = { service: 'hub-server-core', channel: 'http', level: 'info' } as const
        await logs.write({ ...from, time, message: time, labels })
      }
      const { records } = await logs.list({ refId }, { ...PART, until: times[1]! })
      assert.deepEqual(
        records.map((text) => JSON.parse(text).message),
        [times[0]]
      )
    })

    test('log lines are streamed as they arrive, after the last one that was received', async ({
      assert,
    }) => {
      const refId = clock.uuid()
      const line = (message: string): NewLogLine => ({
        time: new Date(1_700_000_000_000).toISOString(),
        message,
        level: 'info',
        service: 'hub-server-core',
        channel: 'http',
        labels: { refId },
      })
      const leaving = new AbortController()
      const options = { signal: leaving.signal, after: undefined as string | undefined }
      const lines = logs.tail({ refId }, options)[Symbol.asyncIterator]()
      const first = lines.next()
      const writing = setInterval(() => void logs.write(line('one')), 50)
      const { value } = await first
      clearInterval(writing)
      assert.equal(JSON.parse(value.record).message, 'one')
      await logs.write(line('two'))
      const again = logs.tail({ refId }, { ...options, after: value.cursor })
      for await (const { record } of again) {
        if (JSON.parse(record).message === 'two') {
          break
        }
      }
      leaving.abort()
    })
  })
}

test.group('Logs that telemetry does not give', () => {
  test('missing log lines are reported as unavailable', async ({ assert }) => {
    const provider = { ownToken: async () => 'none', introspect: async () => undefined as any }
    const away = remoteLogs({ url: 'http://127.0.0.1:9', provider })
    await assert.rejects(() => away.list({ refId: 'x' }, PART), /are unavailable/)
    const refusing = remoteLogs({ url: at('telemetry', ''), provider })
    await assert.rejects(() => refusing.list({ refId: 'x' }, PART), /are unavailable/)
  })
})

import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { startedHere, useInstallation } from './installation.js'
import { ADMINISTRATOR, signIn } from './login.js'
import { startProgram, type Program } from './program.js'
import { call, create, type Answer } from './records.js'
import { request } from './telemetry.js'
import { freePort } from '#embedded/free_port'
import { VictoriaLogsStandIn } from '#tests/helpers/telemetry/victorialogs/stand_in'
import { eventually } from '#tests/helpers/eventually'

const aLine = (labels: Record<string, string>) => ({
  message: 'something happened',
  service: 'hub-server-core',
  level: 'info',
  channel: 'system',
  labels,
})

const write = (labels: Record<string, string>) =>
  request('/logs', { method: 'POST', body: aLine(labels) })

/** Polls a log store until it returns what was written. */
async function listed(query: string, count: number): Promise<Answer> {
  let answer: Answer | undefined
  const isListed = async () => {
    answer = await request(`/logs?${query}`)
    return answer.body.meta?.total >= count
  }
  await eventually(isListed).catch(() => {})
  return answer!
}

test.group('Interface: logs', (group) => {
  useInstallation(group)

  test('What the service does row 3: telemetry keeps logs', async ({ assert }) => {
    const refId = randomUUID()
    assert.equal((await write({ refId })).status, 201)
    assert.equal((await listed(`filter[refId]=${refId}`, 1)).body.meta.total, 1)
  })

  test('Resources / Log 1: a log line is a message with labels', async ({ assert }) => {
    const labels = {
      refType: 'analysis',
      refId: randomUUID(),
      actorType: 'user',
      actorId: randomUUID(),
      targetType: 'node',
      targetId: randomUUID(),
      bucketType: 'CODE',
      another: 'of any name',
    }
    await write(labels)
    for (const [name, value] of Object.entries(labels)) {
      const query = `filter[refId]=${labels.refId}&filter[${name}]=${encodeURIComponent(value)}`
      const { body } = await listed(query, 1)
      assert.containsSubset(body.data[0], { message: 'something happened', labels })
    }
  })

  test('Resources / Log 2: lines are found by any of their labels, and by several at once', async ({
    assert,
  }) => {
    const [refId, colour] = [randomUUID(), randomUUID()]
    await write({ refId, colour })
    await write({ refId, colour: 'another' })
    await listed(`filter[refId]=${refId}`, 2)
    for (const query of [
      `filter[colour]=${colour}`,
      `filter[refId]=${refId}&filter[colour]=${colour}`,
    ]) {
      const { body } = await listed(query, 1)
      assert.equal(body.meta.total, 1)
      assert.deepEqual(body.data[0].labels, { refId, colour })
    }
  })

  test('Resources / Log 3: a log line is neither read alone nor updated', async ({ assert }) => {
    assert.equal((await request(`/logs/${randomUUID()}`)).status, 404)
    const body = aLine({})
    assert.equal((await request(`/logs/${randomUUID()}`, { method: 'POST', body })).status, 404)
  })

  test('Endpoints / Telemetry service row 6: logs are listed by labels, without schema', async ({
    assert,
  }) => {
    const refId = randomUUID()
    await write({ refId })
    const { status, body } = await listed(`filter[refId]=${refId}&page[limit]=5`, 1)
    assert.equal(status, 200)
    assert.deepEqual(body.meta, { total: 1, limit: 5, offset: 0 })
    assert.equal((await request('/logs')).status, 400)
  })

  test('Endpoints / Telemetry service row 7: a log line is created', async ({ assert }) => {
    const { status, body } = await write({ refId: randomUUID() })
    assert.equal(status, 201)
    assert.deepEqual(body.meta, {})
    assert.equal(body.data.message, 'something happened')
  })

  test('Endpoints / Telemetry service row 8: logs are deleted by query with 202 and null', async ({
    assert,
  }) => {
    const refId = randomUUID()
    await write({ refId, half: '1' })
    await write({ refId, half: '2' })
    await listed(`filter[refId]=${refId}`, 2)
    const path = `/logs?filter[refId]=${refId}&filter[half]=1`
    const { status, body } = await request(path, { method: 'DELETE' })
    if (status === 503) {
      return assert.include(body.message, 'cannot be deleted')
    }
    assert.deepEqual([status, body], [202, null])
    assert.equal((await request(`/logs?filter[refId]=${refId}`)).body.meta.total, 1)
  })

  test('Errors / Rules 7: a bulk delete answers 202 and null, whether it finds something or not', async ({
    assert,
    cleanup,
  }) => {
    const refId = randomUUID()
    await write({ refId })
    await listed(`filter[refId]=${refId}`, 1)
    const { id } = await create('analysis', {}, cleanup)
    const ofNode = `filter[analysisId]=${id}&filter[nodeId]=${randomUUID()}`
    for (const { status, body } of [
      await request(`/logs?filter[refId]=${refId}`, { method: 'DELETE' }),
      await request(`/logs?filter[refId]=${refId}`, { method: 'DELETE' }),
      await call(`/analysis-node-logs?${ofNode}`, { method: 'DELETE' }),
    ]) {
      if (status === 503) {
        return assert.include(body.message, 'cannot be deleted')
      }
      assert.deepEqual([status, body], [202, null])
    }
  })

  test('Versioning 6: old log labels are not found under new names', async ({ assert }) => {
    const value = randomUUID()
    await write({ ref_id: value })
    assert.equal((await listed(`filter[ref_id]=${value}`, 1)).body.meta.total, 1)
    assert.equal((await request(`/logs?filter[refId]=${value}`)).body.meta.total, 0)
  })

  test('Endpoints / Core service row 20: analysis logs and node logs are listed with schema', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const ofAnalysis = await call(`/analysis-logs?filter[analysisId]=${id}`)
    assert.equal(ofAnalysis.status, 200)
    assert.equal(ofAnalysis.body.meta.schema.name, 'analysisLog')
    const query = `filter[analysisId]=${id}&filter[nodeId]=${randomUUID()}`
    const ofNode = await call(`/analysis-node-logs?${query}`)
    assert.equal(ofNode.body.meta.schema.name, 'analysisNodeLog')
  })

  test('Endpoints / Query rules 10: log lists of core declare no index', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const { schema } = (await call(`/analysis-logs?filter[analysisId]=${id}`)).body.meta
    assert.isNull(schema.indexes)
    assert.isFalse(schema.filters.indexed)
    assert.isFalse(schema.sorts.indexed)
  })

  test('Endpoints / Core service row 21: a node log names analysis, node and both realms, and is flat', ({
    assert,
    cleanup,
  }) => assertNodeLog(assert, cleanup))

  test('Resources / Analysis log bodies 1: a node log names analysis, node and both realms, and is flat', ({
    assert,
    cleanup,
  }) => assertNodeLog(assert, cleanup))

  test('Endpoints / Core service row 22: logs are deleted by query with 202 and null', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('analysis', {}, cleanup)
    const removed = await call(`/analysis-logs?filter[analysisId]=${id}`, { method: 'DELETE' })
    if (removed.status !== 503) {
      assert.deepEqual([removed.status, removed.body], [202, null])
    }
    assert.equal((await call('/analysis-logs', { method: 'DELETE' })).status, 400)
  })

  test('What the service does / Configuration 1: without a log store, logs are stored in memory', async ({
    assert,
    cleanup,
  }) => {
    const shared = startedHere()
    const program =
      shared ?? (await startProgram({ SURFACES: 'telemetry,identity', LOGSTORE_URL: undefined }))
    cleanup(() => (shared ? undefined : program.stop()))
    await assertStored(assert, program)
  })
})

interface Assertions {
  equal(actual: unknown, expected: unknown): void
}

async function assertStored(assert: Assertions, { origin }: Program): Promise<void> {
  const token = await signIn(ADMINISTRATOR, `${origin}/auth/token`)
  const there = { origin: `${origin}/telemetry`, token }
  const refId = randomUUID()
  const written = await request('/logs', { ...there, method: 'POST', body: aLine({ refId }) })
  assert.equal(written.status, 201)
  const { body } = await request(`/logs?filter[refId]=${refId}`, there)
  assert.equal(body.meta.total, 1)
}

/** It goes with what it joins. */
async function assign(path: string, body: Record<string, unknown>): Promise<void> {
  const { status } = await call(path, { method: 'POST', body })
  if (status !== 201) {
    throw new Error(`${path} was answered with ${status}`)
  }
}

/** Writes the log of an assigned node, and checks the response. */
async function assertNodeLog(
  assert: Assertions & { containsSubset(actual: unknown, expected: unknown): void },
  cleanup: Parameters<typeof create>[2]
): Promise<void> {
  const analysis = await create('analysis', {}, cleanup)
  const node = await create('node', {}, cleanup)
  await assign('/project-nodes', { projectId: analysis.projectId, nodeId: node.id })
  await assign('/analysis-nodes', { analysisId: analysis.id, nodeId: node.id })
  const { status, body } = await call('/analysis-node-logs', {
    method: 'POST',
    body: {
      analysisId: analysis.id,
      nodeId: node.id,
      analysisRealmId: analysis.realmId,
      nodeRealmId: node.realmId,
      message: 'started',
      level: 'warn',
    },
  })
  assert.equal(status, 202)
  assert.containsSubset(body, {
    message: 'started',
    level: 'warn',
    labels: { analysisId: analysis.id, nodeId: node.id },
  })
}

const NOBODY = 'http://127.0.0.1:9'

test.group('Interface: the log store', () => {
  test('What the service does / Configuration row 4: LOGSTORE_URL names the log store', async ({
    assert,
    cleanup,
  }) => {
    const standIn = await VictoriaLogsStandIn.start()
    cleanup(() => standIn.stop())
    const program = await startProgram({
      SURFACES: 'telemetry,identity',
      LOGSTORE_URL: standIn.url,
    })
    cleanup(() => program.stop())
    await assertStored(assert, program)
    assert.isNotEmpty(standIn.inserted)
    assert.isEmpty(standIn.strange)
  })
})

test.group('Interface: what telemetry logs itself', () => {
  test('What the service does / Configuration 2: the log lines of telemetry itself always stay in memory', async ({
    assert,
    cleanup,
  }) => {
    const standIn = await VictoriaLogsStandIn.start()
    cleanup(() => standIn.stop())
    const adminPort = await freePort()
    const program = await startProgram({
      SURFACES: 'telemetry,identity',
      LOGSTORE_URL: standIn.url,
      LOG_LEVEL: 'info',
      LOG_SHIP_LEVEL: 'info',
      ADMIN_PORT: String(adminPort),
    })
    cleanup(() => program.stop())
    await assertStored(assert, program)
    const lines = await (await fetch(`http://127.0.0.1:${adminPort}/logs`)).text()
    assert.include(lines, 'hub-server-telemetry')
    assert.notInclude(JSON.stringify(standIn.inserted), 'hub-server-telemetry')
  })
})

test.group('Interface: the two addresses of a log store', (group) => {
  let standIn: VictoriaLogsStandIn
  let program: Program

  group.setup(async () => {
    standIn = await VictoriaLogsStandIn.start()
    return () => standIn.stop()
  })

  group.setup(async () => {
    program = await startProgram({
      SURFACES: 'telemetry,identity',
      LOGSTORE_URL: NOBODY,
      LOGSTORE_INGESTOR_URL: standIn.url,
      LOGSTORE_QUERIER_URL: standIn.url,
    })
    return () => program.stop()
  })

  test('What the service does / Configuration row 5: LOGSTORE_INGESTOR_URL wins over LOGSTORE_URL', ({
    assert,
  }) => assertStored(assert, program))

  test('What the service does / Configuration row 6: LOGSTORE_QUERIER_URL wins over LOGSTORE_URL', ({
    assert,
  }) => assertStored(assert, program))
})

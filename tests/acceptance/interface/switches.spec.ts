import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'

import { ADMINISTRATOR, signIn } from './login.js'
import { startProgram, type Program, type Variables } from './program.js'
import { request, eventsWhere } from './telemetry.js'

const DAY_MS = 86_400_000

/** Makes a record in a program of the test's own. */
async function made(program: Program, token: string, path: string, body: object): Promise<any> {
  const response = await fetch(`${program.origin}/core${path}`, {
    method: 'POST',
    headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { data, ...failure } = (await response.json()) as any
  if (!data) {
    throw new Error(`${path}: ${JSON.stringify(failure)}`)
  }
  return data
}

test.group('Interface: switches of an installation', (group) => {
  let program: Program
  let token: string

  group.setup(async () => {
    program = await startProgram({
      SKIP_PROJECT_APPROVAL: 'true',
      SKIP_ANALYSIS_APPROVAL: 'true',
      EVENT_RETENTION_DAYS: '3',
    })
    token = await signIn(ADMINISTRATOR, `${program.origin}/auth/token`)
    return () => program.stop()
  })

  const make = (path: string, body: object) => made(program, token, path, body)
  const member = async () => {
    const project = await make('/projects', { name: `switches-${randomUUID()}` })
    const node = await make('/nodes', { name: `node-${randomUUID()}` })
    return make('/project-nodes', { projectId: project.id, nodeId: node.id })
  }

  test('What the service does / Configuration row 1: SKIP_PROJECT_APPROVAL waives the approval of projects', async ({
    assert,
  }) => {
    assert.equal((await member()).approvalStatus, 'approved')
  })

  test('What the service does / Configuration row 2: SKIP_ANALYSIS_APPROVAL waives the approval of analyses', async ({
    assert,
  }) => {
    const { projectId } = await member()
    const analysis = await make('/analyses', { projectId })
    assert.containsSubset(analysis, { nodes: 1, nodesApproved: 1, buildNodesValid: true })
  })

  test('What the service does / Configuration row 3: EVENT_RETENTION_DAYS decides how long events from the bus stay', async ({
    assert,
  }) => {
    const { id } = await make('/nodes', { name: `node-${randomUUID()}` })
    const there = { origin: `${program.origin}/telemetry`, token }
    const [{ createdAt, expiresAt }] = await eventsWhere(`filter[refId]=${id}`, 1, there)
    const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / DAY_MS
    assert.approximately(days, 3, 0.01)
  })
})

test.group('Interface: events whose time is over', (group) => {
  let statuses: { expired: number; lasting: number }

  group.setup(async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'hub-interface-'))
    const variables = { SURFACES: 'telemetry,identity', DATA_DIR }
    const ids = await during(variables, async (there) => {
      const add = async (expiresAt: string) => {
        const body = {
          scope: 'builder',
          name: 'told',
          refType: 'analysis',
          expiring: true,
          expiresAt,
        }
        return (await request('/events', { ...there, method: 'POST', body })).body.data.id
      }
      return {
        expired: await add('2020-01-01T00:00:00.000Z'),
        lasting: await add('2099-01-01T00:00:00.000Z'),
      }
    })
    statuses = await during(variables, async (there) => {
      const statusOf = async (id: string) => (await request(`/events/${id}`, there)).status
      await eventually(async () => (await statusOf(ids.expired)) === 404)
      return { expired: await statusOf(ids.expired), lasting: await statusOf(ids.lasting) }
    })
    return () => rm(DATA_DIR, { recursive: true, force: true })
  })

  test('Limits row 5: those that expired are gone after a start', ({ assert }) => {
    assert.deepEqual(statuses, { expired: 404, lasting: 200 })
  })

  test('Events / Audit events 4: those that expired go at a start, and no others', ({ assert }) => {
    assert.deepEqual(statuses, { expired: 404, lasting: 200 })
  })
})

/** The response of telemetry while a program runs. */
async function during<T>(
  variables: Variables,
  work: (there: { origin: string; token: string }) => Promise<T>
): Promise<T> {
  const program = await startProgram(variables)
  try {
    const token = await signIn(ADMINISTRATOR, `${program.origin}/auth/token`)
    return await work({ origin: `${program.origin}/telemetry`, token })
  } finally {
    await program.stop()
  }
}

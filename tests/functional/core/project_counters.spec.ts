import { test } from '@japa/runner'

import { analysis } from '#core/analyses/analysis'
import { node } from '#core/nodes/node'
import { changeCount } from '#core/projects/counters'
import { project } from '#core/projects/project'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { inTransaction } from '#records/transaction'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call } from './node_scene.js'

const WRITERS = 32
const { headers } = identity({
  permissions: ['project_create', 'project_update', 'project_delete', 'node_delete', 'node_update'],
})

const pool = () => pools.for(databaseUrl('core'))

/** The counters of a project, and the actual counts. */
async function counts(id: unknown) {
  const { rows } = await pool().query(
    `select p.nodes, p.analyses,
       (select count(*) from project_nodes where project_id = p.id)::int as "realNodes",
       (select count(*) from analyses where project_id = p.id)::int as "realAnalyses"
     from projects p where p.id = $1`,
    [id]
  )
  return rows[0]
}

const newProject = () => sampleRecord('core', project, { nodes: 0, analyses: 0 })

/** Runs all writers concurrently; counts the status codes. */
async function statuses(work: (writer: number) => Promise<{ status: number }>) {
  const answers = await Promise.all(Array.from({ length: WRITERS }, (_, n) => work(n)))
  return Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length])
  )
}

test.group('Counters of projects', () => {
  test('L14: are right after 32 writers added and removed nodes at the same time', async ({
    assert,
  }) => {
    const { id: projectId } = await newProject()
    const nodes = await Promise.all(
      Array.from({ length: WRITERS }, () => sampleRecord('core', node))
    )
    const add = (writer: number) =>
      call('POST', '/project-nodes', { headers, body: { projectId, nodeId: nodes[writer]!.id } })
    assert.deepEqual(await statuses(add), { 201: WRITERS })
    assert.deepEqual(await counts(projectId), {
      nodes: WRITERS,
      realNodes: WRITERS,
      analyses: 0,
      realAnalyses: 0,
    })
    const { body } = await call('GET', `/project-nodes?filter[projectId]=${projectId}`, { headers })
    const ids = body.data.map(({ id }: { id: string }) => id)
    const mixed = (writer: number) =>
      writer % 2 === 0 ? call('DELETE', `/project-nodes/${ids[writer]}`, { headers }) : add(writer)
    await statuses(mixed)
    const after = await counts(projectId)
    assert.equal(after.nodes, after.realNodes)
  })

  test('L14: are right after 32 writers added one node, of which one succeeds', async ({
    assert,
  }) => {
    const { id: projectId } = await newProject()
    const { id: nodeId } = await sampleRecord('core', node)
    const add = () => call('POST', '/project-nodes', { headers, body: { projectId, nodeId } })
    assert.deepEqual(await statuses(add), { 201: 1, 409: WRITERS - 1 })
    assert.equal((await counts(projectId)).nodes, 1)
  })

  test('L14: are right after nodes were deleted, each by several at the same time', async ({
    assert,
  }) => {
    const projects = await Promise.all(Array.from({ length: 4 }, newProject))
    const nodes = await Promise.all(Array.from({ length: 8 }, () => sampleRecord('core', node)))
    const pair = (writer: number) => ({
      projectId: projects[writer % 4]!.id,
      nodeId: nodes[Math.floor(writer / 4)]!.id,
    })
    const add = (writer: number) => call('POST', '/project-nodes', { headers, body: pair(writer) })
    assert.deepEqual(await statuses(add), { 201: WRITERS })
    const seen = await statuses((writer) => {
      const { nodeId } = pair(writer)
      return call('DELETE', `/nodes/${nodeId}`, { headers })
    })
    assert.deepEqual(seen, { 202: nodes.length, 404: WRITERS - nodes.length })
    for (const { id } of projects) {
      assert.deepEqual(await counts(id), { nodes: 0, realNodes: 0, analyses: 0, realAnalyses: 0 })
    }
  })

  test('L14: are correct, without deadlocks, while nodes are added and removed in all projects', async ({
    assert,
  }) => {
    const projects = await Promise.all(Array.from({ length: 4 }, newProject))
    const nodes = await Promise.all(Array.from({ length: 8 }, () => sampleRecord('core', node)))
    const seen = await statuses((writer) => {
      const nodeId = nodes[writer % 8]!.id
      const projectId = projects[Math.floor(writer / 8)]!.id
      if (writer >= 24) {
        return writer % 2 === 0
          ? call('DELETE', `/nodes/${nodeId}`, { headers })
          : call('POST', `/nodes/${nodeId}`, { headers, body: { type: 'aggregator' } })
      }
      return call('POST', '/project-nodes', { headers, body: { projectId, nodeId } })
    })
    assert.isEmpty(
      Object.keys(seen).filter((status) => Number(status) >= 500),
      JSON.stringify(seen)
    )
    for (const { id } of projects) {
      const { nodes: counted, realNodes } = await counts(id)
      assert.equal(counted, realNodes)
    }
  })

  test('L14: count analyses with the transaction that adds or removes them', async ({ assert }) => {
    const { id } = await newProject()
    const projectId = id as string
    await statuses(async (writer) => {
      await inTransaction(pool(), async (transaction) => {
        await changeCount(transaction, 'analyses', projectId, 1)
        if (writer % 4 === 0) {
          throw new Error('rolled back')
        }
      }).catch(() => {})
      return { status: 0 }
    })
    assert.equal((await counts(projectId)).analyses, WRITERS - WRITERS / 4)
  })

  test('counters cannot count for a deleted project', async ({ assert }) => {
    const { id: projectId } = await sampleRecord('core', analysis)
    const found = await inTransaction(pool(), (transaction) =>
      changeCount(transaction, 'nodes', projectId as string, 1)
    )
    assert.isFalse(found)
  })
})

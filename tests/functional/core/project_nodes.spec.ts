import { test } from '@japa/runner'

import { node } from '#core/nodes/node'
import { coreSettings } from '#core/core_settings'
import { project } from '#core/projects/project'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, member, newRealm } from './node_scene.js'
import { useSettings } from '#tests/helpers/settings'

const ASSIGNING = ['project_create', 'project_update']
const APPROVING = ['project_approve']

test.group('Nodes of projects', (group) => {
  let realms: { project: string; node: string }
  let owner: ReturnType<typeof member>
  let authority: ReturnType<typeof member>

  group.setup(async () => {
    const [ours, theirs] = await Promise.all([newRealm(), newRealm()])
    realms = { project: ours!, node: theirs! }
    owner = member(realms.project, ASSIGNING)
    authority = member(realms.node, APPROVING)
  })

  async function assign(type = 'default', extra: object = {}) {
    const [{ id: projectId }, { id: nodeId }] = await Promise.all([
      sampleRecord('core', project, { realmId: realms.project, nodes: 0 }),
      sampleRecord('core', node, { realmId: realms.node, type }),
    ])
    const body = { projectId, nodeId, ...extra }
    return call('POST', '/project-nodes', { headers: owner.headers, body })
  }

  const decide = (id: string, body: object) =>
    call('POST', `/project-nodes/${id}`, { headers: authority.headers, body })

  test('participations wait for a decision and belong to both realms', async ({ assert }) => {
    const { status, body } = await assign()
    assert.equal(status, 201)
    const { approvalStatus, comment, projectRealmId, nodeRealmId } = body.data
    assert.isNull(approvalStatus)
    assert.isNull(comment)
    assert.deepEqual(
      { projectRealmId, nodeRealmId },
      {
        projectRealmId: realms.project,
        nodeRealmId: realms.node,
      }
    )
  })

  test('S2: cannot be approved by the caller who adds them', async ({ assert }) => {
    const { status, body } = await assign('default', { approvalStatus: 'approved', comment: 'yes' })
    assert.equal(status, 201)
    assert.isNull(body.data.approvalStatus)
    assert.isNull(body.data.comment)
    const path = `/project-nodes/${body.data.id}`
    const everything = member(realms.project, [...ASSIGNING, ...APPROVING])
    const decided = await call('POST', path, {
      headers: everything.headers,
      body: { approvalStatus: 'approved' },
    })
    assert.equal(decided.status, 403)
  })

  test('that are aggregators are approved at once', async ({ assert }) => {
    assert.equal((await assign('aggregator')).body.data.approvalStatus, 'approved')
  })

  test('participations are approved at once where the installation does without approvals', async ({
    assert,
    cleanup,
  }) => {
    cleanup(useSettings(coreSettings, { skipsProjectApproval: true }))
    assert.equal((await assign()).body.data.approvalStatus, 'approved')
  })

  test('participations are approved, rejected and reset, in any order, with a comment', async ({
    assert,
  }) => {
    const { id } = (await assign()).body.data
    for (const body of [
      { approvalStatus: 'approved', comment: 'you are welcome' },
      { approvalStatus: 'rejected', comment: 'not any more' },
      { approvalStatus: null, comment: null },
      { approvalStatus: 'rejected' },
      { approvalStatus: 'approved' },
    ]) {
      const answer = await decide(id, body)
      assert.equal(answer.status, 202)
      assert.containsSubset(answer.body.data, body)
    }
  })

  test('every decision is remembered for good: by whom, what it was and what it is', async ({
    assert,
  }) => {
    const { id } = (await assign()).body.data
    await decide(id, { approvalStatus: 'approved', comment: 'you are welcome' })
    await decide(id, { approvalStatus: 'rejected' })
    const { rows } = await pools.for(databaseUrl('core')).query(
      `select content->'change' as change from outbox
       where content->'change'->>'id' = $1 and content->'change'->>'change' = 'updated'
       order by position`,
      [id]
    )
    assert.deepEqual(
      rows.map(({ change }) => [
        change.isLasting,
        change.diff,
        change.doer.actor.id,
        change.realmId,
      ]),
      [
        [
          true,
          {
            approvalStatus: { previous: null, next: 'approved' },
            comment: { previous: null, next: 'you are welcome' },
          },
          authority.actor.id,
          realms.project,
        ],
        [
          true,
          { approvalStatus: { previous: 'approved', next: 'rejected' } },
          authority.actor.id,
          realms.project,
        ],
      ]
    )
    assert.sameMembers(rows[0].change.realms, [realms.project, realms.node])
  })

  test('the event of a decision by an operator on behalf of a realm records that', async ({
    assert,
  }) => {
    const { id } = (await assign()).body.data
    const operator = member(realms.project, APPROVING, { realmName: 'master' })
    for (const approvalStatus of ['approved', 'rejected']) {
      const by = approvalStatus === 'approved' ? operator : authority
      await call('POST', `/project-nodes/${id}`, { headers: by.headers, body: { approvalStatus } })
    }
    const { rows } = await pools.for(databaseUrl('core')).query(
      `select content->'change'->'diff' as diff from outbox
       where content->'change'->>'id' = $1 and content->'change'->>'change' = 'updated'
       order by position`,
      [id]
    )
    assert.deepEqual(
      rows.map(({ diff }) => diff.onBehalfOf),
      [{ next: realms.node, previous: null }, undefined]
    )
  })

  test('participations are added once', async ({ assert }) => {
    const { projectId, nodeId } = (await assign()).body.data
    const again = await call('POST', '/project-nodes', {
      headers: owner.headers,
      body: { projectId, nodeId },
    })
    assert.equal(again.status, 409)
    assert.equal(again.body.code, 'entity_conflict')
    const { body } = await call('GET', `/projects/${projectId}`, { headers: owner.headers })
    assert.equal(body.data.nodes, 1)
  })

  test('participations are counted when they come and when they go', async ({ assert }) => {
    const { id, projectId } = (await assign()).body.data
    const count = async () =>
      (await call('GET', `/projects/${projectId}`, { headers: owner.headers })).body.data.nodes
    assert.equal(await count(), 1)
    assert.equal((await call('DELETE', `/project-nodes/${id}`, owner)).status, 202)
    assert.equal(await count(), 0)
    assert.equal((await call('DELETE', `/project-nodes/${id}`, owner)).status, 404)
    assert.equal(await count(), 0)
  })
})

import { test } from '@japa/runner'

import { node } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { project } from '#core/projects/project'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, member, newRealm, uniqueName } from './node_scene.js'

const EVERYTHING = [
  'project_create',
  'project_update',
  'project_delete',
  'project_approve',
  'node_create',
  'node_update',
  'node_delete',
]

/** The realms of a project, of a node, and an unrelated one. */
interface Realms {
  readonly project: string
  readonly node: string
  readonly third: string
}

/** An operation and its permissions. */
interface Operation {
  readonly name: string
  readonly needs: readonly string[]
  /** The realms whose members may do it. */
  readonly realms: readonly (keyof Realms)[]
  readonly does: readonly [method: string, path: Sample<string>, ok: number]
  readonly body?: Sample<Attributes>
}

type Sample<Value> = (realms: Realms) => Promise<Value>

const sampleProject = ({ project: realmId }: Realms) => sampleRecord('core', project, { realmId })
const sampleNode = ({ node: realmId }: Realms) => sampleRecord('core', node, { realmId })

async function sampleProjectNode(realms: Realms): Promise<Attributes> {
  return sampleRecord('core', projectNode, {
    ...(await endsOf(realms)),
    projectRealmId: realms.project,
    nodeRealmId: realms.node,
  })
}

const endsOf = async (realms: Realms) => ({
  projectId: (await sampleProject(realms)).id,
  nodeId: (await sampleNode(realms)).id,
})

const at = (path: string) => async () => path
const projectPath: Sample<string> = async (realms) =>
  `/projects/${(await sampleProject(realms)).id}`
const nodePath: Sample<string> = async (realms) => `/nodes/${(await sampleNode(realms)).id}`
const partPath: Sample<string> = async (realms) =>
  `/project-nodes/${(await sampleProjectNode(realms)).id}`
const secretPath: Sample<string> = async (realms) =>
  `/nodes/${await createdNode(realms)}/client/credentials`

const bodyOf = (body: Attributes) => async () => body
const newNode: Sample<Attributes> = async ({ node: realmId }) => ({ name: uniqueName(), realmId })

const OPERATIONS: readonly Operation[] = [
  ...operations(['project_update'], ['project'], {
    'updating a project': {
      does: ['POST', projectPath, 202],
      body: bodyOf({ description: 'new one' }),
    },
  }),
  ...operations(['project_delete'], ['project'], {
    'deleting a project': { does: ['DELETE', projectPath, 202] },
  }),
  ...operations(['node_create'], ['node'], {
    'creating a node in a realm': { does: ['POST', at('/nodes'), 201], body: newNode },
  }),
  ...operations(['node_update'], ['node'], {
    'updating a node': { does: ['POST', nodePath, 202], body: bodyOf({ hidden: true }) },
    'changing the type of a node': {
      does: ['POST', nodePath, 202],
      body: bodyOf({ type: 'aggregator' }),
    },
    'reading the credentials of a node': { does: ['GET', secretPath, 200] },
    'replacing the credentials of a node': { does: ['POST', secretPath, 200] },
  }),
  ...operations(['node_delete'], ['node'], {
    'deleting a node': { does: ['DELETE', nodePath, 202] },
  }),
  ...operations(['project_create', 'project_update'], ['project'], {
    'adding a node to a project': { does: ['POST', at('/project-nodes'), 201], body: endsOf },
  }),
  ...operations(['project_create', 'project_update'], ['project', 'node'], {
    'taking a node out of a project': { does: ['DELETE', partPath, 202] },
  }),
  ...operations(['project_approve'], ['node'], {
    'deciding about a project node': {
      does: ['POST', partPath, 202],
      body: bodyOf({ approvalStatus: 'approved' }),
    },
  }),
]

function operations(
  needs: Operation['needs'],
  realms: Operation['realms'],
  named: Record<string, Pick<Operation, 'does' | 'body'>>
): Operation[] {
  return Object.entries(named).map(([name, rest]) => ({ name, needs, realms, ...rest }))
}

async function createdNode({ node: realmId }: Realms): Promise<string> {
  const { headers } = member(realmId, ['node_create'])
  const { body } = await call('POST', '/nodes', { headers, body: { name: uniqueName() } })
  return body.data.id
}

async function newRealms(): Promise<Realms> {
  const [own, other, third] = await Promise.all([newRealm(), newRealm(), newRealm()])
  return { project: own!, node: other!, third: third! }
}

for (const { name, needs, realms: writers, does, body: bodyFor } of OPERATIONS) {
  const [method, pathOf, ok] = does

  test.group(`Who may do this: ${name}`, () => {
    const tried = async (who: (realms: Realms) => { headers: Record<string, string> }) => {
      const realms = await newRealms()
      const [path, body] = [await pathOf(realms), await bodyFor?.(realms)]
      return call(method, path, { headers: who(realms).headers, body })
    }

    test('no anonymous caller', async ({ assert }) => {
      const { status, body } = await tried(() => ({ headers: {} }))
      assert.equal(status, 401)
      assert.equal(body.code, 'identity_unauthorized')
    })

    for (const realm of ['project', 'node', 'third'] as const) {
      const may = writers.includes(realm)
      for (const kind of ['user', 'client', 'robot'] as const) {
        const who = `a ${kind} of the ${realm === 'third' ? 'wrong realm' : `realm of the ${realm}`}`
        test(`${who}: ${may ? 'yes' : 'no'}`, async ({ assert }) => {
          const { status, body } = await tried((realms) =>
            member(realms[realm], EVERYTHING, { kind })
          )
          assert.equal(status, may ? ok : 403, JSON.stringify(body))
          if (!may) {
            assert.equal(body.code, 'permission_denied')
            assert.deepEqual(body.issues, [])
          }
        })
      }
    }

    for (const missing of needs) {
      const others = EVERYTHING.filter((permission) => permission !== missing)
      test(`C1: no caller without ${missing}, of any realm`, async ({ assert }) => {
        const master = identity({ permissions: others })
        const refused = [
          await tried((realms) => member(realms[writers[0]!], others)),
          await tried(() => master),
        ]
        for (const { status, body } of refused) {
          assert.equal(status, 403)
          assert.equal(body.code, 'permission_denied')
          assert.deepEqual(
            body.issues.map(({ code, path }: any) => [code, path]),
            [['permission_not_found', [missing]]]
          )
        }
      })
    }

    test('callers of the master realm that have the permission', async ({ assert }) => {
      const { status } = await tried(() => identity({ permissions: EVERYTHING }))
      assert.equal(status, ok)
    })

    test('a realm with another name is not the master realm', async ({ assert }) => {
      const { status } = await tried(({ third }) =>
        member(third, EVERYTHING, { realmName: 'Master' })
      )
      assert.equal(status, 403)
    })
  })
}

test.group('Order of refusals', (group) => {
  let realmId: string

  group.setup(async () => {
    realmId = await newRealm()
  })

  test('an invalid body comes before a missing permission', async ({ assert }) => {
    const { headers } = member(realmId, [])
    for (const path of ['/projects', '/nodes', '/project-nodes']) {
      const body = { name: 5, projectId: 5 }
      assert.equal((await call('POST', path, { headers, body })).status, 400, path)
    }
  })

  test('a missing permission comes before a missing record', async ({ assert }) => {
    const { headers } = member(realmId, [])
    for (const collection of ['/projects', '/nodes', '/project-nodes']) {
      const path = `${collection}/${clock.uuid()}`
      assert.equal((await call('DELETE', path, { headers })).status, 403, path)
      assert.equal((await call('POST', path, { headers, body: {} })).status, 403, path)
    }
  })

  test('C4: an invalid id is not found', async ({ assert }) => {
    const { headers } = member(realmId, EVERYTHING)
    for (const id of ['abc', clock.uuid(), "'", '%00']) {
      for (const path of [
        `/projects/${id}`,
        `/nodes/${id}`,
        `/project-nodes/${id}`,
        `/nodes/${id}/client/credentials`,
      ]) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          if (method !== 'DELETE' || !path.endsWith('credentials')) {
            const body = method === 'POST' ? {} : undefined
            const { status, body: told } = await call(method, path, { headers, body })
            assert.equal(status, 404, `${method} ${path}`)
            assert.equal(told.code, 'entity_not_found')
          }
        }
      }
    }
  })

  test('a missing node comes before the permission to read its credentials', async ({ assert }) => {
    const { headers } = member(realmId, [])
    const path = `/nodes/${clock.uuid()}/client/credentials`
    assert.equal((await call('GET', path, { headers })).status, 404)
  })

  test('the permission to read credentials comes before missing credentials', async ({
    assert,
  }) => {
    const { id } = await sampleRecord('core', node, { realmId })
    await withoutClient(id as string)
    const path = `/nodes/${id}/client/credentials`
    assert.equal((await call('GET', path, member(realmId, []))).status, 403)
    const answer = await call('GET', path, member(realmId, EVERYTHING))
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'bad_request')
  })
})

async function withoutClient(id: string): Promise<void> {
  const pool = pools.for(databaseUrl('core'))
  await pool.query('update nodes set client_id = null where id = $1', [id])
}

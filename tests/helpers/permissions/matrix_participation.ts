import { test } from '@japa/runner'

import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { identityProvider } from '#core/clients/identity_provider'
import { node as nodeKind } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { seedIdentity } from '#identity/embedded/seeds'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { call, decided, person, Scene, type Person } from '#tests/functional/core/analysis_scene'
import { aBucket } from '#tests/functional/storage/storage_scene'
import { sampleRecord } from '#tests/helpers/sample_records'

const MORE = 'registry_manage'
const GRANTABLE = 'analysis_self_storage_use'

const clients = async () => (await identityProvider()).clients!

/** Gives a client more than such clients have. */
async function strengthen(clientId: unknown): Promise<void> {
  const directory = await clients()
  await directory.grant(clientId as string, (await directory.permission(MORE))!.id)
}

/** The client of a node of a realm, as far as that was asked to take part in an analysis, and what it answered. */
async function nodeClient(
  analysis: Attributes,
  realmId: string,
  part: 'approved' | 'rejected' | 'open' | 'not asked',
  { permissions, realmName }: { permissions: string[]; realmName?: string }
): Promise<Person> {
  const clientId = clock.uuid()
  const node = await sampleRecord('core', nodeKind, { realmId, clientId })
  const { projectId } = analysis
  await sampleRecord('core', projectNode, {
    projectId,
    nodeId: node.id,
    approvalStatus: 'approved',
  })
  if (part !== 'not asked') {
    const { id } = await sampleRecord('core', analysisNode, {
      analysisId: analysis.id,
      analysisRealmId: analysis.realmId,
      nodeId: node.id,
      nodeRealmId: realmId,
    })
    await decided(id, part === 'open' ? null : part)
  }
  return person(realmId, { kind: 'client', id: clientId, permissions, realmName })
}

/** Who is let in to the clients of nodes and analyses, and to what else an analysis has of others. */
export function participationMatrix(): void {
  test.group('Participation matrix', (group) => {
    let scene: Scene
    let analysis: Attributes

    group.setup(seedIdentity)
    group.each.setup(async () => {
      scene = await Scene.set()
      analysis = await scene.analysis()
    })

    const credentials = () => `/analyses/${analysis.id}/client/credentials`
    const permissions = () => `/analyses/${analysis.id}/client/permissions`

    /** Every verb for the client of an analysis: those for callers that are let in, and those that change what it may do. */
    async function tried(by: Person) {
      const seen = [
        await call(by, 'GET', credentials()),
        await call(by, 'POST', credentials(), {}),
        await call(by, 'GET', permissions()),
      ]
      const granted = await call(by, 'POST', permissions(), { permissionId: GRANTABLE })
      const { id } = (await (await clients()).permission(GRANTABLE))!
      const revoked = await call(by, 'DELETE', `${permissions()}/${id}`)
      return {
        seen: [...new Set(seen.map(({ status }) => status))],
        changed: [granted.status, revoked.status],
      }
    }

    const CALLERS: readonly [string, () => Person, boolean][] = [
      ['a researcher', () => scene.researcher(['analysis_update']), true],
      [
        'a researcher who may not change analyses',
        () => scene.researcher(['analysis_create']),
        false,
      ],
      ['a steward of the node', () => scene.steward(), false],
      ['a stranger with every permission', () => scene.stranger(), false],
      ['a master member', () => scene.admin(), true],
      ['a client of the realm that is of no node', () => machine(['analysis_update']), true],
      ['such a client without the permission', () => machine([]), false],
    ]
    const machine = (granted: string[]) =>
      person(scene.realms.project, { kind: 'client', permissions: granted })

    for (const [who, make, may] of CALLERS) {
      test(`${who} ${may ? 'has' : 'does not have'} the client of an analysis`, async ({
        assert,
      }) => {
        assert.deepEqual(await tried(make()), {
          seen: [may ? 200 : 403],
          changed: may ? [201, 202] : [403, 403],
        })
      })
    }

    for (const part of ['approved', 'rejected', 'open', 'not asked'] as const) {
      for (const [realm, where] of [
        ['project', 'the same realm'],
        ['node', 'another realm'],
      ] as const) {
        test(`the client of a node of ${where} whose part is ${part} ${part === 'approved' ? 'sees' : 'does not see'} the client of an analysis`, async ({
          assert,
        }) => {
          for (const traits of [
            { permissions: [] },
            { permissions: ['analysis_update'] },
            { permissions: scene.researcher().actor.permissions.values().toArray() },
            { permissions: ['analysis_update'], realmName: 'master' },
          ]) {
            const by = await nodeClient(analysis, scene.realms[realm], part, traits)
            const isIn = realm === 'project' || traits.realmName === 'master'
            const changes = part === 'approved' && isIn && traits.permissions.length > 0
            assert.deepEqual(
              await tried(by),
              {
                seen: [part === 'approved' ? 200 : 403],
                changed: changes ? [201, 202] : [403, 403],
              },
              JSON.stringify(traits)
            )
          }
        })
      }
    }

    test('the client of an analysis that may do more is for those only who may do that', async ({
      assert,
    }) => {
      await strengthen(analysis.clientId)
      const node = () =>
        nodeClient(analysis, scene.realms.project, 'approved', { permissions: ['analysis_update'] })
      const rejected = { permissions: ['analysis_update', MORE] }
      for (const [by, may] of [
        [scene.researcher(['analysis_update']), false],
        [
          person(scene.realms.foreign, { realmName: 'master', permissions: ['analysis_update'] }),
          false,
        ],
        [await node(), false],
        [await nodeClient(analysis, scene.realms.project, 'rejected', rejected), false],
        [scene.researcher(['analysis_update', MORE]), true],
      ] as const) {
        const answers = [
          await call(by, 'GET', credentials()),
          await call(by, 'POST', credentials(), { secret: 'a secret that I chose' }),
          await call(by, 'POST', permissions(), { permissionId: GRANTABLE }),
        ]
        const { id } = (await (await clients()).permission(MORE))!
        answers.push(await call(by, 'DELETE', `${permissions()}/${id}`))
        assert.deepEqual(
          answers.map(({ status }) => status),
          may ? [200, 200, 201, 202] : [403, 403, 403, 403]
        )
        assert.isTrue(may || answers.every(({ body }) => body.secret === undefined))
      }
    })

    test('the client of a node that may do more is for those only who may do that', async ({
      assert,
    }) => {
      const manager = (granted: string[] = []) =>
        person(scene.realms.node, { permissions: ['node_create', 'node_update', ...granted] })
      const made = await call(manager(), 'POST', '/nodes', {
        name: `node-${clock.uuid().slice(0, 8)}`,
      })
      const { id, clientId } = made.body.data
      const path = `/nodes/${id}/client/credentials`
      const statuses = async (by: Person) => [
        (await call(by, 'GET', path)).status,
        (await call(by, 'POST', path, { displayName: 'Node' })).status,
      ]
      assert.deepEqual(await statuses(manager()), [200, 200])
      await strengthen(clientId)
      for (const by of [
        manager(),
        person(scene.realms.foreign, { realmName: 'master', permissions: ['node_update'] }),
      ]) {
        assert.deepEqual(await statuses(by), [403, 403])
      }
      assert.deepEqual(await statuses(manager([MORE])), [200, 200])
      const own = { kind: 'client', id: clientId, permissions: [] } as const
      const itself = person(scene.realms.node, { ...own, permissions: [] })
      assert.deepEqual(await statuses(itself), [200, 200])
      const elsewhere = person(scene.realms.foreign)
      assert.deepEqual(await statuses(elsewhere), [403, 403])
    })

    test('a node or an analysis whose client may do more is removed by those only who may do that', async ({
      assert,
    }) => {
      const manager = (granted: string[] = []) =>
        person(scene.realms.node, { permissions: ['node_create', 'node_delete', ...granted] })
      const name = `node-${clock.uuid().slice(0, 8)}`
      const { id, clientId } = (await call(manager(), 'POST', '/nodes', { name })).body.data
      const removal = async (by: Person, path: string) => (await call(by, 'DELETE', path)).status
      const ofMaster = (permission: string) =>
        person(scene.realms.foreign, { realmName: 'master', permissions: [permission] })
      await strengthen(clientId)
      assert.equal(await removal(manager(), `/nodes/${id}`), 403)
      assert.equal(await removal(ofMaster('node_delete'), `/nodes/${id}`), 403)
      assert.equal(await removal(manager([MORE]), `/nodes/${id}`), 202)
      const weaker = scene.researcher(['analysis_delete'])
      const path = `/analyses/${analysis.id}`
      await strengthen(analysis.clientId)
      assert.equal(await removal(weaker, path), 403)
      assert.equal(await removal(ofMaster('analysis_delete'), path), 403)
      assert.equal(await removal(scene.researcher(['analysis_delete', MORE]), path), 202)
    })

    test('the name of a node client is one that the provider takes', async ({ assert }) => {
      const by = person(scene.realms.node)
      const made = await call(by, 'POST', '/nodes', { name: `node-${clock.uuid().slice(0, 8)}` })
      const path = `/nodes/${made.body.data.id}/client/credentials`
      const before = (await call(by, 'GET', path)).body
      for (const name of [
        'a b c',
        'ab',
        'knötchen',
        'a/b',
        'a<b>',
        'abc\n',
        'a:b',
        'x'.repeat(129),
      ]) {
        const { status, body } = await call(by, 'POST', path, { name })
        assert.equal(status, 400, name)
        assert.deepEqual(body.issues[0].path, ['name'])
      }
      assert.deepEqual((await call(by, 'GET', path)).body, before)
      const taken = await call(by, 'POST', '/nodes', { name: `node-${clock.uuid().slice(0, 8)}` })
      const other = { name: taken.body.data.id }
      assert.equal((await call(by, 'POST', path, other)).status, 409)
      const good = `node.${clock.uuid().slice(0, 8)}+a@b`
      assert.equal((await call(by, 'POST', path, { name: good })).body.name, good)
    })

    test('the bucket of an analysis is one of its realm, or one that is still to be made', async ({
      assert,
    }) => {
      const { project, foreign, node } = scene.realms
      for (const by of [scene.researcher(), scene.admin()]) {
        const own = await scene.analysis()
        for (const [realmId, type, status] of [
          [foreign, 'CODE', 400],
          [node, 'RESULT', 400],
          [null, 'TEMP', 400],
          [project, 'CODE', 201],
          [undefined, 'RESULT', 201],
        ] as const) {
          const bucketId = realmId === undefined ? clock.uuid() : (await aBucket({ realmId })).id
          const answer = await call(by, 'POST', '/analysis-buckets', {
            analysisId: own.id,
            type,
            bucketId,
          })
          assert.equal(answer.status, status, JSON.stringify([realmId, answer.body]))
          if (status === 400) {
            assert.deepEqual(answer.body.issues[0].path, ['bucketId'])
          }
        }
      }
    })
  })
}

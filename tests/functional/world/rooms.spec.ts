import { test } from '@japa/runner'

import type { ChangeContent } from '#outbox/entry'
import { emissionsOf } from '#outbox/payloads/emissions'
import { boot, isTogether } from '#tests/helpers/application'
import { testAuthenticator } from '#tests/helpers/identities'
import {
  connected,
  emitWithAck,
  received,
  settled,
  socketSite,
} from '#tests/helpers/realtime/sockets'
import { all, holding, inRealm, loggedIn, type Rule } from '#tests/helpers/world/access_rules'
import { nodeRow } from '#tests/helpers/world/requests/facts'
import { theWorld, type World } from '#tests/helpers/world/world'
import type { WorldIdentity } from '#tests/helpers/world/world_identity'

const app = await boot()

/** Who may enter which room of a realm's records. */
const ROOMS: Readonly<Record<string, Rule>> = {
  analysis: holding('analysis_update', 'analysis_execution_start', 'analysis_execution_stop'),
  analysisBucket: holding('analysis_update'),
  analysisBucketFile: holding('analysis_update'),
  analysisLog: holding('analysis_update'),
  analysisNodeIn: holding('analysis_approve'),
  analysisNodeOut: holding('analysis_update'),
  analysisNodeEvent: holding('analysis_update'),
  bucket: holding('bucket_update', 'bucket_delete'),
  bucketFile: holding('bucket_update', 'bucket_delete'),
  masterImage: loggedIn,
  masterImageGroup: loggedIn,
  node: holding('node_update'),
  project: holding('project_delete', 'project_update'),
  projectNodeIn: holding('project_approve'),
  projectNodeOut: holding('project_update'),
  registry: holding('registry_manage'),
  registryProject: holding('registry_manage', 'registry_project_manage'),
}

async function site() {
  const server = await app.container.make('server')
  await server.boot()
  const [path, prefix] = isTogether() ? ['/core/socket.io', ''] : ['/socket.io', '/core']
  return socketSite(
    { authenticator: testAuthenticator, path },
    {
      handle: server.handle.bind(server),
      prefix,
    }
  )
}

const withTokens = ({ identities }: World) =>
  identities.filter((by): by is WorldIdentity & { token: string } => by.token !== undefined)

test.group('Three realms | rooms', (group) => {
  let hub: Awaited<ReturnType<typeof site>>

  group.setup(async () => {
    hub = await site()
    return () => hub.close()
  })

  test('the rooms of a realm are entered by its members with a permission, and by master', async ({
    assert,
  }) => {
    if (!isTogether()) {
      return
    }
    const world = await theWorld()
    const row = nodeRow(world, 'north')
    const found: string[] = []
    for (const by of withTokens(world)) {
      const socket = hub.connect(`/resources/${world.realms.north}`, by.token)
      const isIn = await connected(socket).then(
        () => true,
        () => false
      )
      if (isIn !== inRealm.allows(by, row)) {
        found.push(`${by.name} | the namespace of the north | ${isIn}`)
      }
      for (const [topic, rule] of isIn ? Object.entries(ROOMS) : []) {
        const isLetIn = (await emitWithAck(socket, `${topic}Subscribe`)) === null
        if (isLetIn !== all(inRealm, rule).allows(by, row)) {
          found.push(`${by.name} | ${topic} | ${isLetIn}`)
        }
      }
      socket.disconnect()
    }
    assert.isEmpty(found, found.join('\n'))
  }).timeout(300_000)

  test('a change is received in the realm of its record and in master, whoever listens to all realms', async ({
    assert,
  }) => {
    if (!isTogether()) {
      return
    }
    const world = await theWorld()
    const rows = [nodeRow(world, 'north'), nodeRow(world, 'institute')]
    const listeners = withTokens(world).filter((by) => ROOMS.node!.allows(by, rows[0]!))
    const subscribed = await Promise.all(
      listeners.map(async (by) => {
        const socket = await connected(hub.connect('/resources', by.token))
        assert.isNull(await emitWithAck(socket, 'nodeSubscribe'), by.name)
        return { by, socket, changes: received(socket, 'nodeUpdated') }
      })
    )
    for (const { id, realmId } of rows) {
      const content = { kind: 'node', change: 'updated', id, realms: [realmId], data: { id } }
      await hub.realtime.emit(emissionsOf(content as unknown as ChangeContent))
    }
    for (const { by, socket, changes } of subscribed) {
      await settled(socket)
      const ids = (changes as { data: { id: string } }[]).map(({ data }) => data.id)
      const own = rows.filter((row) => inRealm.allows(by, row)).map(({ id }) => id)
      assert.sameMembers(ids, own, by.name)
    }
  })
})

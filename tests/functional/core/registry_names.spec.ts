import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { corePool } from '#core/database'
import { RegistryAccounts } from '#core/registries/registry_accounts'
import { RegistryReconciler } from '#core/registries/registry_reconciler'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'

import { member, newRealm, uniqueName } from './node_scene.js'
import { startCommands, RegistryScene, send } from './registry_scene.js'

/** The name of a project that somebody else made. */
const FOREIGN = 'team-tools'
const MANAGER_PERMISSIONS = ['node_create', 'node_update', 'node_delete', 'registry_project_manage']

test.group('Names in a registry', (group) => {
  let scene: RegistryScene
  let realmId: string

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await RegistryScene.create()
    realmId = await newRealm()
    return () => scene.end()
  })

  const keeper = () => member(realmId, MANAGER_PERMISSIONS)

  /** Creates a node as a manager of the nodes of a realm. */
  const node = (externalName?: string, by = keeper()) => {
    const body = { name: uniqueName('node'), realmId, registryId: scene.id, externalName }
    return send('POST', '/nodes', body, by)
  }

  /** A project that the platform did not create. */
  const library = () => {
    const project = scene.harbor.addProject(FOREIGN)
    project.repositories.add('secret-image')
    return project
  }

  const isUntouched = ({ policies, isPublic, repositories }: ReturnType<typeof library>) =>
    policies.size === 0 && !isPublic && repositories.has('secret-image')

  const repair = async () => {
    scene.harbor.clearFault()
    await scene.makeDue()
    const work = await app.container.make(RegistryReconciler)
    await work.reconcileAll(new AbortController().signal)
  }

  test('a project that the platform did not create is not given to a node by its name', async ({
    assert,
  }) => {
    const project = library()
    const created = await node(FOREIGN)
    assert.equal(created.status, 409)
    assert.equal(created.body.code, 'entity_conflict')
    assert.deepEqual(created.body.issues[0].path, ['externalName'])
    const own = (await node()).body.data
    const path = `/nodes/${own.id}`
    assert.equal((await send('POST', path, { externalName: FOREIGN }, keeper())).status, 409)
    const projectPath = `/registry-projects/${own.registryProjectId}`
    const renamed = await send('POST', projectPath, { externalName: FOREIGN }, keeper())
    assert.equal(renamed.status, 409)
    await scene.settled()
    assert.isTrue(isUntouched(project))
    assert.isUndefined(scene.harbor.robotOf(FOREIGN))
  })

  test('a node that moves to another registry does not get an existing project of its name', async ({
    assert,
    cleanup,
  }) => {
    const other = await RegistryScene.create()
    cleanup(() => other.end())
    other.harbor.addProject(FOREIGN)
    const own = (await node(FOREIGN)).body.data
    const moved = await send('POST', `/nodes/${own.id}`, { registryId: other.id }, keeper())
    assert.equal(moved.status, 409)
    const unchanged = await send('POST', `/nodes/${own.id}`, { externalName: FOREIGN }, keeper())
    assert.equal(unchanged.status, 202)
  })

  test('if the registry is unreachable, the name is checked when the project is linked', async ({
    assert,
  }) => {
    const project = library()
    scene.harbor.injectFault({ does: 503 })
    const made = await node(FOREIGN)
    assert.equal(made.status, 201)
    await scene.failed()
    await repair()
    const [link] = await scene.links()
    assert.match(link!.problem as string, /did not create.*--adopt/)
    assert.isTrue(isUntouched(project))
    assert.isUndefined(scene.harbor.robotOf(FOREIGN))

    const { registryProjectId: id } = made.body.data
    const other = await scene.command('projectLink', id, { adopt: 'another' })
    assert.equal(other.status, 400)
    assert.equal((await scene.command('projectLink', id, { adopt: FOREIGN })).status, 202)
    await scene.linked(id)
    assert.isDefined(scene.harbor.robotOf(FOREIGN))
  })

  test('a project created between check and request stays with its creator', async ({ assert }) => {
    scene.harbor.injectFault({ to: /^POST projects$/, times: 1, does: 'takes its time' })
    const made = await node(FOREIGN)
    assert.equal(made.status, 201)
    await eventually(() => scene.harbor.hasPendingRequests)
    const project = library()
    scene.harbor.clearFault()
    await scene.failed()
    await repair()
    assert.isTrue(isUntouched(project))
    assert.isUndefined(scene.harbor.robotOf(FOREIGN))
    const [link] = await scene.links()
    assert.isNull(link!.is_adopted)
  })

  test('an administrator of master adopts a project by its name, and it stays when its node is deleted', async ({
    assert,
  }) => {
    const project = library()
    const manager = identity({ permissions: ['node_create', 'registry_project_manage'] })
    assert.equal((await node(FOREIGN, manager)).status, 409)
    const made = await node(FOREIGN, identity())
    assert.equal(made.status, 201)
    const row = await scene.linked(made.body.data.registryProjectId)
    assert.equal(row.external_id, String(project.id))
    await send('DELETE', `/nodes/${made.body.data.id}`)
    await eventually(() => scene.harbor.robotOf(FOREIGN) === undefined)
    assert.isTrue(scene.harbor.projects.has(FOREIGN))
    await scene.settled()
    assert.equal((await node(FOREIGN)).status, 409)
  })

  test('a private project that somebody else made stays private, whatever a record of its name says', async ({
    assert,
  }) => {
    const project = library()
    const body = { name: 'tools', externalName: FOREIGN, registryId: scene.id, type: 'default' }
    const made = await send('POST', '/registry-projects', { ...body, public: true })
    assert.equal(made.status, 201)
    const { id } = made.body.data
    const row = await scene.linked(id)
    assert.isFalse(project.isPublic)
    assert.isFalse(row.public)
    await send('POST', `/registry-projects/${id}`, { public: true })
    await scene.settled()
    assert.isFalse(project.isPublic)
    await scene.command('projectLink', id, { adopt: FOREIGN })
    await scene.settled()
    assert.isFalse(project.isPublic)
    assert.isFalse((await scene.row(id))!.public)
  })

  test('what a link changes is shown first, to administrators of master', async ({ assert }) => {
    scene.harbor.injectFault({ does: 503 })
    const { registryProjectId: id } = (await node(FOREIGN)).body.data
    await scene.failed()
    const path = `/registry-projects/${id}/adoption`
    assert.equal((await send('GET', path)).status, 503)
    scene.harbor.clearFault()
    const project = library()
    project.isPublic = true
    await scene.makeDue()
    for (const by of [keeper(), member(realmId, ['registry_manage'])]) {
      assert.equal((await send('GET', path, undefined, by)).status, 403)
    }
    assert.deepEqual((await send('GET', path)).body.data, {
      externalName: FOREIGN,
      exists: true,
      isOwn: false,
      isPublic: true,
      repositories: 1,
      changes: [
        'an account is created that can pull from its 1 repositories, and its webhook "api" is set',
        'it becomes private, and was public',
      ],
    })
    assert.equal(project.policies.size, 0)
    assert.isUndefined(scene.harbor.robotOf(FOREIGN))
  })

  test('public of a record counts, but never for images of nodes', async ({ assert }) => {
    const create = async (type: string, more: object) => {
      const name = uniqueName('project')
      const body = { name, externalName: name, registryId: scene.id, type, ...more }
      const { id } = (await send('POST', '/registry-projects', body)).body.data
      await scene.linked(id)
      await scene.settled()
      return { id, isPublic: () => scene.harbor.projects.get(name)!.isPublic }
    }
    assert.isTrue((await create('default', {})).isPublic())
    const hidden = await create('default', { public: false })
    assert.isFalse(hidden.isPublic())
    await send('POST', `/registry-projects/${hidden.id}`, { public: true })
    await eventually(() => hidden.isPublic())
    for (const type of ['node', 'incoming', 'outgoing']) {
      const carried = await create(type, { public: true })
      assert.isFalse(carried.isPublic(), type)
      const { body } = await send('POST', `/registry-projects/${carried.id}`, { public: true })
      assert.isFalse(body.data.public, type)
    }
  })

  test('a registry that refuses the password is called more and more rarely', async ({
    assert,
  }) => {
    const pause = async () => {
      const { rows } = await corePool().query<{ seconds: string }>(
        `select extract(epoch from paused_until - now()) as seconds from registry_states
         where registry_id = $1`,
        [scene.id]
      )
      return Number(rows[0]?.seconds ?? 0)
    }
    const work = await app.container.make(RegistryReconciler)
    const retry = async () => {
      await scene.makeDue()
      await work.reconcileAll(new AbortController().signal)
      return pause()
    }
    scene.harbor.injectFault({ does: 401 })
    await node()
    await scene.failed()
    const pauses = [await pause()]
    for (let attempts = 1; attempts < 10; attempts++) {
      pauses.push(await retry())
    }
    const doubled = pauses.map((_, attempts) => 30 * 2 ** Math.min(attempts, 7))
    pauses.forEach((seconds, attempts) => {
      assert.isAtMost(seconds, doubled[attempts]!)
      assert.isAbove(seconds, doubled[attempts]! - 25)
    })
    scene.harbor.clearFault()
    await retry()
    await scene.settled()
    scene.harbor.injectFault({ does: 401 })
    await node()
    await scene.failed()
    assert.isAtMost(await pause(), 30)
  })

  test('names of the platform are reserved', async ({ assert }) => {
    const own = (await node()).body.data
    const worker = [`worker-${scene.id}`, `master-${scene.id}`]
    for (const externalName of [...worker, 'master', 'library', 'incoming']) {
      for (const by of [keeper(), identity()]) {
        const { status, body } = await node(externalName, by)
        assert.equal(status, 400)
        assert.deepEqual(body.issues[0].path, ['externalName'])
        assert.equal((await send('POST', `/nodes/${own.id}`, { externalName }, by)).status, 400)
      }
    }
    const body = { name: 'images', externalName: 'master', registryId: scene.id }
    const path = '/registry-projects'
    assert.equal((await send('POST', path, { ...body, type: 'default' })).status, 400)
    assert.equal((await send('POST', path, { ...body, type: 'masterImages' })).status, 201)
  })

  test('a name of a former node comes without its images and its account', async ({ assert }) => {
    const first = (await node('shared-name')).body.data
    const former = await scene.linked(first.registryProjectId)
    scene.harbor.projects.get('shared-name')!.repositories.add('of-the-first')
    scene.harbor.injectFault({ does: 503 })
    assert.equal((await send('DELETE', `/nodes/${first.id}`, undefined, keeper())).status, 202)
    await scene.failed()
    const second = (await node('shared-name')).body.data
    await eventually(async () => {
      const { rowCount } = await corePool().query(
        "select 1 from outbox where queue = 'registryCommands'"
      )
      return rowCount === 0
    })
    await repair()
    const row = await scene.linked(second.registryProjectId)
    assert.notEqual(row.account_id, former.account_id)
    assert.notEqual(row.account_secret, former.account_secret)
    const project = scene.harbor.projects.get('shared-name')!
    assert.equal(row.external_id, String(project.id))
    assert.isEmpty([...project.repositories])
  })

  test("all nodes get the new names of their accounts after Harbor's prefix changed", async ({
    assert,
  }) => {
    const made = [(await node()).body.data, (await node()).body.data]
    const rows = () => Promise.all(made.map((one) => scene.linked(one.registryProjectId)))
    const secrets = (await rows()).map((row) => row.account_secret)
    await scene.settled()
    const accounts = await app.container.make(RegistryAccounts)
    assert.equal(await accounts.relinkRenamed(), 0)
    scene.harbor.robotStore.prefix = 'bot_'
    assert.equal(await accounts.relinkRenamed(), 1)
    await eventually(async () =>
      (await rows()).every((row) => (row.account_name as string).startsWith('bot_'))
    )
    assert.deepEqual(
      (await rows()).map((row) => row.account_secret),
      secrets
    )
    const self = member(realmId, [], { kind: 'client', id: made[0].clientId })
    const path = `/nodes/${made[0].id}/registry/credentials`
    assert.match((await send('GET', path, undefined, self)).body.accountName, /^bot_/)
  })

  test('a node in the image folder reads a stable account', async ({ assert }) => {
    const { id } = (
      await send('POST', '/registries', { name: uniqueName('folder'), host: 'local-images' })
    ).body.data
    try {
      const body = { name: uniqueName('node'), realmId, registryId: id }
      const made = (await send('POST', '/nodes', body, keeper())).body.data
      await scene.linked(made.registryProjectId)
      const self = member(realmId, [], { kind: 'client', id: made.clientId })
      const path = `/nodes/${made.id}/registry/credentials`
      const read = (await send('GET', path, undefined, self)).body
      assert.containsSubset(read, { host: 'local-images', accountName: made.externalName })
      assert.isNotEmpty(read.accountSecret)
      await scene.command('projectLink', made.registryProjectId)
      const work = await app.container.make(RegistryReconciler)
      await work.reconcileAll(new AbortController().signal)
      assert.deepEqual((await send('GET', path, undefined, self)).body, read)
    } finally {
      await corePool().query('delete from registries where id = $1', [id])
    }
  })

  test('links older than the marks stay unchanged', async ({ assert }) => {
    const made = (await node('before')).body.data
    const row = await scene.linked(made.registryProjectId)
    await scene.settled()
    const robot = scene.harbor.robotOf('before')!
    robot.description = ''
    await corePool().query('delete from registry_links where registry_id = $1', [scene.id])
    await scene.command('projectLink', made.registryProjectId)
    await scene.settled()
    const now = (await scene.row(made.registryProjectId))!
    assert.deepEqual(
      [now.external_id, now.account_id, now.account_secret],
      [row.external_id, row.account_id, row.account_secret]
    )
    assert.notEqual(robot.description, '')
  })
})

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { corePool } from '#core/database'
import { RegistryReconciler } from '#core/registries/registry_reconciler'
import { eventually } from '#tests/helpers/eventually'
import { ACCOUNT, HarborServer } from '#tests/helpers/core/harbor_server'
import { identity, REALMS } from '#tests/helpers/identities'
import { unseal } from '#records/sealing'

import { uniqueName } from './node_scene.js'
import { startCommands, RegistryScene, send } from './registry_scene.js'

const sweep = async () => {
  const work = await app.container.make(RegistryReconciler)
  await work.reconcileAll(new AbortController().signal)
}

test.group('The account of the worker in a registry', (group) => {
  let scene: RegistryScene

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await RegistryScene.create()
    return () => scene.end()
  })

  const robot = (id = scene.id) => scene.harbor.robotOf(`worker-${id}`)
  const masterRobot = () => scene.harbor.robotOf(`master-${scene.id}`)
  const credentials = (by?: ReturnType<typeof identity>, of = 'credentials') =>
    send('GET', `/registries/${scene.id}/worker/${of}`, undefined, by)
  const masterCredentials = (by?: ReturnType<typeof identity>) =>
    credentials(by, 'master-credentials')

  const settled = async () => {
    await scene.settled()
    await eventually(async () => {
      const { rowCount } = await corePool().query(
        "select 1 from tasks where queue = 'registry-worker' and key = $1",
        [scene.id]
      )
      return rowCount === 0
    })
  }

  /** The permitted actions of an account by project. */
  const allowed = (account = robot()) =>
    Object.fromEntries(
      account!.permissions.map(({ namespace, access }) => [
        namespace,
        access.map(({ resource, action }) => `${resource}:${action}`),
      ])
    )

  const nodeProject = async () => {
    const project = await scene.project({ name: uniqueName('of-a-node') })
    await corePool().query("update registry_projects set type = 'node' where id = $1", [project.id])
    await scene.command('projectLink', project.id)
    return project.externalName as string
  }

  test('it pushes to builds and nodes, pulls master images, and may do nothing else', async ({
    assert,
  }) => {
    await scene.command('setup')
    await eventually(async () => (await scene.rows()).length === 3)
    const ofNode = await nodeProject()
    const other = await scene.project()
    await settled()
    const rows = await scene.rows()
    const nameOf = (name: string) => rows.find((row) => row.name === name)!.external_name as string
    const pushing = ['repository:pull', 'repository:push']
    assert.deepEqual(allowed(), {
      [nameOf('master')]: ['repository:pull'],
      [nameOf('incoming')]: pushing,
      [ofNode]: pushing,
    })
    for (const name of [nameOf('outgoing'), other.externalName as string]) {
      assert.notProperty(allowed(), name)
    }
    assert.equal(robot()!.level, 'system')
    assert.deepEqual(allowed(masterRobot()), { [nameOf('master')]: pushing })
  })

  test('the account for master images is another one, managed in the same way', async ({
    assert,
  }) => {
    await scene.command('setup')
    await eventually(masterRobot)
    await settled()
    const { id, name, secret } = masterRobot()!
    const access = { host: scene.harbor.host, accountName: name, accountSecret: secret }
    assert.deepEqual((await masterCredentials()).body, access)
    assert.notEqual((await credentials()).body.accountName, name)
    assert.equal((await masterCredentials(identity({ permissions: [] }))).status, 403)
    const { rows } = await corePool().query(
      'select master_account_secret as sealed from registry_workers where registry_id = $1',
      [scene.id]
    )
    assert.equal(unseal('registry worker account', rows[0].sealed), secret)
    await scene.command('workerRenew')
    await sweep()
    await settled()
    assert.equal(masterRobot()!.id, id)
    assert.notEqual(masterRobot()!.secret, secret)
    assert.equal((await masterCredentials()).body.accountSecret, masterRobot()!.secret)
  })

  test('only managers of registries in the master realm can read it', async ({ assert }) => {
    await nodeProject()
    await settled()
    const { status, body } = await credentials()
    assert.equal(status, 200)
    const { name, secret } = robot()!
    const access = { host: scene.harbor.host, accountName: name, accountSecret: secret }
    assert.deepEqual(body, access)
    const elsewhere = identity({ realmId: REALMS.other, realmName: 'other' })
    for (const by of [identity({ permissions: [] }), elsewhere]) {
      assert.equal((await credentials(by)).status, 403)
    }
  })

  test('without one, the account of the registry is returned', async ({ assert }) => {
    for (const { body } of [await credentials(), await masterCredentials()]) {
      assert.deepEqual(body, { host: scene.harbor.host, ...ACCOUNT })
    }
    await send('POST', `/registries/${scene.id}`, { host: 'local-images', accountName: null })
    assert.deepInclude((await credentials()).body, { host: 'local-images', accountName: null })
  })

  test('its secret is sealed, and in no message', async ({ assert }) => {
    await nodeProject()
    await settled()
    const { secret } = robot()!
    const { rows } = await corePool().query(
      'select account_secret as sealed from registry_workers where registry_id = $1',
      [scene.id]
    )
    assert.notInclude(rows[0].sealed, secret)
    assert.equal(unseal('registry worker account', rows[0].sealed), secret)
    const { rows: told } = await corePool().query(
      'select 1 from outbox where content::text like $1 union all select 1 from events where data::text like $1',
      [`%${secret}%`]
    )
    assert.isEmpty(told)
  })

  test('it keeps its secret at a link, and gets another one on request', async ({ assert }) => {
    await nodeProject()
    await settled()
    const { secret } = robot()!
    await nodeProject()
    await settled()
    assert.equal(robot()!.secret, secret)
    assert.equal((await scene.command('workerRenew')).status, 202)
    await sweep()
    await settled()
    assert.notEqual(robot()!.secret, secret)
    assert.equal((await credentials()).body.accountSecret, robot()!.secret)
  })

  test('it is reconciled', async ({ assert }) => {
    const name = await nodeProject()
    await settled()
    const { id } = robot()!
    robot()!.disable = true
    robot()!.permissions = []
    scene.harbor.robotStore.prefix = 'bot_'
    await corePool().query(
      "update registry_links set reconciled_at = now() - interval '2 days' where registry_id = $1",
      [scene.id]
    )
    await sweep()
    await settled()
    assert.equal(robot()!.id, id)
    assert.isFalse(robot()!.disable)
    assert.property(allowed(), name)
    assert.equal((await credentials()).body.accountName, `bot_worker-${scene.id}`)
  })

  test('it is removed with its projects, and with the registry', async ({ assert }) => {
    const name = await nodeProject()
    const second = await nodeProject()
    await settled()
    const { rows } = await corePool().query(
      'select id from registry_projects where registry_id = $1 and external_name = $2',
      [scene.id, second]
    )
    await scene.command('projectUnlink', rows[0].id)
    await eventually(async () => !Object.keys(allowed()).includes(second))
    await settled()
    assert.deepEqual(Object.keys(allowed()), [name])
    await scene.command('delete')
    await eventually(async () => {
      const { rowCount } = await corePool().query('select 1 from registries where id = $1', [
        scene.id,
      ])
      return rowCount === 0
    })
    assert.equal(scene.harbor.robots.size, 0)
  })

  test('the removal of a registry waits until the account is removed', async ({ assert }) => {
    await nodeProject()
    await settled()
    scene.harbor.injectFault({ to: /robots\?*.*worker|DELETE robots/, does: 500 })
    await scene.command('delete')
    await eventually(async () =>
      scene.harbor.requests.some((request) => /DELETE robots/.test(request))
    )
    await sweep()
    assert.equal((await send('GET', `/registries/${scene.id}`)).status, 200)
    scene.harbor.clearFault()
    await eventually(async () => {
      await scene.makeDue()
      await corePool().query(
        "update tasks set due_at = now() - interval '1 second' where queue = 'registry-worker' and key = $1",
        [scene.id]
      )
      await sweep()
      return (await send('GET', `/registries/${scene.id}`)).status === 404
    })
    assert.equal(scene.harbor.robots.size, 0)
  })

  test('a registry with a new host gets another account, and the former one is not used', async ({
    assert,
    cleanup,
  }) => {
    await nodeProject()
    await settled()
    const elsewhere = await HarborServer.start()
    cleanup(() => elsewhere.stop())
    elsewhere.robotStore.skipIds(50)
    await send('POST', `/registries/${scene.id}`, { host: elsewhere.host })
    await eventually(() => elsewhere.robotOf(`worker-${scene.id}`) !== undefined)
    await settled()
    const { secret } = elsewhere.robotOf(`worker-${scene.id}`)!
    assert.deepInclude((await credentials()).body, { host: elsewhere.host, accountSecret: secret })
  })

  test('a failure is stored and retried', async ({ assert }) => {
    await nodeProject()
    await settled()
    scene.harbor.robots.delete(robot()!.id)
    scene.harbor.injectFault({ to: /POST robots/, does: 400 })
    await scene.command('workerRenew')
    await sweep()
    const { rows } = await corePool().query(
      'select problem from registry_workers where registry_id = $1',
      [scene.id]
    )
    assert.equal(rows[0].problem, 'The registry answered POST robots with 400')
    scene.harbor.clearFault()
    await eventually(async () => {
      await scene.makeDue()
      await corePool().query(
        "update tasks set due_at = now() - interval '1 second' where queue = 'registry-worker' and key = $1",
        [scene.id]
      )
      await sweep()
      return robot()
    })
    assert.equal((await credentials()).body.accountSecret, robot()!.secret)
  })
})

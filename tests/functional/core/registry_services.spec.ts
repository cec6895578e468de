import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { Bus } from '#bus/bus'
import { MalformedMessage } from '#bus/errors'
import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { registryConsumer } from '#core/registries/registry_consumer'
import { taskKey, RegistryLinks } from '#core/registries/registry_links'
import { RegistryReconciler } from '#core/registries/registry_reconciler'
import { registrySweep } from '#core/registries/registry_sweeps'
import { corePool } from '#core/database'
import { identityProvider } from '#core/clients/identity_provider'
import type { Attributes } from '#records/row'
import { clock, overrideClock } from '#kernel/clock'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'
import { HarborServer, type Fault } from '#tests/helpers/core/harbor_server'
import { PlainRegistryServer } from '#tests/helpers/core/plain_registry_server'
import { stopwatch } from '#tests/helpers/stopwatch'

import { call, newRealm, uniqueName } from './node_scene.js'
import { admin, startCommands, RegistryScene, send } from './registry_scene.js'

const running = new AbortController().signal
const sweep = async () => registrySweep(await app.container.make(RegistryReconciler)).run(running)

test.group('Commands to registries', (group) => {
  let scene: RegistryScene

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await RegistryScene.create()
    return () => scene.end()
  })

  test('setup: the three projects exist within a second, and are linked', async ({ assert }) => {
    const took = stopwatch()
    const { status, body } = await scene.command('setup')
    assert.equal(status, 202)
    assert.isNull(body)
    const rows = await eventually(async () => {
      const found = await scene.rows()
      return found.length === 3 && found
    }, 1_000)
    assert.isBelow(took(), 1_000)
    assert.deepEqual(
      rows.map((row) => [row.name, row.type, row.public]),
      [
        ['incoming', 'incoming', false],
        ['master', 'masterImages', true],
        ['outgoing', 'outgoing', false],
      ]
    )
    assert.match(rows[0]!.external_name as string, /^[0-9a-z]{21}$/)
    assert.equal(rows[1]!.external_name, 'master')
    for (const { id, external_name: name } of rows) {
      const row = await scene.linked(id)
      const robot = scene.harbor.robotOf(name as string)!
      assert.equal(row.external_id, String(scene.harbor.projects.get(name as string)!.id))
      assert.deepEqual(
        [row.account_id, row.account_name, row.account_secret],
        [String(robot.id), robot.name, robot.secret]
      )
      assert.isTrue(row.webhook_exists)
      assert.isNotNull(row.webhook_name)
    }
  }).retry(2)

  test('L7: a repeated setup changes nothing', async ({ assert }) => {
    await scene.command('setup')
    await eventually(async () => (await scene.rows()).length === 3)
    await scene.settled()
    const before = await scene.rows()
    await scene.command('setup')
    await scene.settled()
    assert.deepEqual(await scene.rows(), before)
    assert.isTrue(scene.harbor.projects.get('master')!.isPublic)
  })

  test('L4: commands about one project end in the state of the last one', async ({ assert }) => {
    const project = await scene.project()
    for (let round = 0; round < 5; round++) {
      await scene.command('projectUnlink', project.id)
      await scene.command('projectLink', project.id)
    }
    await scene.settled()
    const row = await scene.linked(project.id)
    const name = project.externalName as string
    assert.equal(row.external_id, String(scene.harbor.projects.get(name)!.id))
    assert.equal(row.account_secret, scene.harbor.robotOf(name)!.secret)
    await scene.command('projectUnlink', project.id)
    await scene.settled()
    assert.isUndefined(scene.harbor.projects.get(name))
    assert.isNull((await scene.row(project.id))!.account_secret)
  })

  test('projectUnlink: everything is removed until the project is linked again', async ({
    assert,
  }) => {
    const project = await scene.project()
    await scene.linked(project.id)
    assert.equal((await scene.command('projectUnlink', project.id)).status, 202)
    await eventually(async () => (await scene.row(project.id))!.external_id === null)
    const row = (await scene.row(project.id))!
    for (const name of ['account_id', 'account_name', 'account_secret', 'webhook_name']) {
      assert.isNull(row[name])
    }
    assert.isFalse(row.webhook_exists)
    assert.equal(scene.harbor.projects.size, 0)
    assert.equal(scene.harbor.robots.size, 0)
    await sweep()
    assert.equal(scene.harbor.projects.size, 0)
    await scene.command('projectLink', project.id)
    await scene.linked(project.id)
  })

  test('projectLink: the account gets the secret that is sent, which no message contains', async ({
    assert,
  }) => {
    const project = await scene.project()
    await scene.linked(project.id)
    const secret = 'Chosen-by-1-admin'
    assert.equal((await scene.command('projectLink', project.id, { secret })).status, 202)
    await eventually(async () => (await scene.row(project.id))!.account_secret === secret)
    assert.equal(scene.harbor.robotOf(project.externalName as string)!.secret, secret)
    const { rows } = await corePool().query(
      'select 1 from outbox where content::text like $1 union all select 1 from events where data::text like $1',
      [`%${secret}%`]
    )
    assert.isEmpty(rows)
    await scene.settled()
    assert.isNull((await scene.links())[0]!.new_secret)
  })

  test('cleanup: orphaned projects are removed, others that the platform did not create stay', async ({
    assert,
  }) => {
    const project = await scene.project()
    await scene.linked(project.id)
    scene.harbor.addProject('library').repositories.add('image')
    await corePool().query('delete from registry_projects where id = $1', [project.id])
    await scene.command('cleanup')
    await eventually(() => !scene.harbor.projects.has(project.externalName as string))
    assert.deepEqual([...scene.harbor.projects.keys()], ['library'])
    assert.equal(scene.harbor.robots.size, 0)
    await scene.settled()
    assert.isEmpty(await scene.links())
  })

  test('L6: delete removes all projects and then the registry, but not its nodes and analyses', async ({
    assert,
  }) => {
    const realmId = await newRealm()
    const library = scene.harbor.addProject('team-tools')
    const project = await scene.project()
    const adopted = await scene.project({ externalName: 'team-tools' })
    const node = await send('POST', '/nodes', {
      name: uniqueName(),
      realmId,
      registryId: scene.id,
    })
    await scene.linked(project.id)
    await scene.linked(adopted.id)
    await scene.linked(node.body.data.registryProjectId)
    library.repositories.add('image')
    assert.equal((await scene.command('delete')).status, 202)
    await eventually(async () => (await send('GET', `/registries/${scene.id}`)).status === 404)
    assert.deepEqual([...scene.harbor.projects.keys()], ['team-tools'])
    assert.deepEqual([...library.repositories], ['image'])
    assert.equal(scene.harbor.robots.size, 0)
    const { body } = await send('GET', `/nodes/${node.body.data.id}`)
    assert.isNull(body.data.registryId)
    assert.isNull(body.data.registryProjectId)
  })

  test('L6: delete also removes a project that is being linked, as soon as it is', async ({
    assert,
  }) => {
    scene.harbor.injectFault({ to: /^POST robots$/, times: 1, does: 'takes its time' })
    await scene.project()
    await eventually(() => scene.harbor.hasPendingRequests)
    const work = await app.container.make(RegistryReconciler)
    await work.remove(scene.id)
    assert.equal((await send('GET', `/registries/${scene.id}`)).status, 200)
    scene.harbor.clearFault()
    await eventually(async () => (await send('GET', `/registries/${scene.id}`)).status === 404)
    assert.equal(scene.harbor.projects.size, 0)
  })

  test('L6: delete waits for an unreachable registry', async ({ assert }) => {
    const project = await scene.project()
    await scene.linked(project.id)
    scene.harbor.injectFault({ does: 503 })
    await scene.command('delete')
    await scene.failed()
    await sweep()
    assert.equal((await send('GET', `/registries/${scene.id}`)).status, 200)
    scene.harbor.clearFault()
    await scene.makeDue()
    await sweep()
    assert.equal((await send('GET', `/registries/${scene.id}`)).status, 404)
    assert.equal(scene.harbor.projects.size, 0)
  })

  test('an invalid command is rejected', async ({ assert }) => {
    const id = clock.uuid()
    const cases: [object, number, string?][] = [
      [{}, 400, 'command'],
      [{ command: 'explode', id }, 400, 'command'],
      [{ command: 'setup' }, 400, 'id'],
      [{ command: 'setup', id: 'x' }, 400, 'id'],
      [{ command: 'setup', id: 5 }, 400, 'id'],
      [{ command: 'setup', id: null }, 400, 'id'],
      [{ command: 'projectLink', id, secret: 'short1A' }, 400, 'secret'],
      [{ command: 'projectLink', id, secret: 'nocapitals1' }, 400, 'secret'],
      [{ command: 'projectLink', id, secret: 'NOSMALL1' }, 400, 'secret'],
      [{ command: 'projectLink', id, secret: 'NoDigits' }, 400, 'secret'],
      [{ command: 'projectLink', id, secret: 'ÜnICODE1'.replace(/[A-Z]/g, 'x') }, 400, 'secret'],
      [{ command: 'projectLink', id, secret: `Aa1${'x'.repeat(126)}` }, 400, 'secret'],
      [{ command: 'projectLink', id, secret: `Aa1${'x'.repeat(125)}` }, 404],
      [{ command: 'projectLink', id, secret: 5 }, 400, 'secret'],
      [{ command: 'projectLink', id, secret: null }, 404],
      [{ command: 'projectUnlink', id }, 404],
      [{ command: 'projectLink', id: scene.id }, 404],
      [{ command: 'setup', id }, 404],
      [{ command: 'cleanup', id }, 404],
      [{ command: 'delete', id }, 404],
    ]
    for (const [body, status, path] of cases) {
      const answer = await send('POST', '/services/registry/command', body)
      assert.equal(answer.status, status, JSON.stringify(body))
      if (path) {
        assert.include(
          answer.body.issues.map((issue: any) => issue.path[0]),
          path
        )
      }
    }
    const command = { command: 'setup', id: scene.id }
    assert.equal((await send('POST', '/services/system/command', command)).status, 404)
  })

  test('a secret that registries would reject is rejected on the bus as well', async ({
    assert,
  }) => {
    const { id } = await scene.project()
    await scene.linked(id)
    const link = registryConsumer.handlers.PROJECT_LINK!
    const sendWebhook = (secret: string) =>
      newMessage(commandRouting(COMMAND_QUEUES.registry), 'PROJECT_LINK', { id, secret })
    for (const secret of [
      'short1A',
      'nocapitals1',
      'NOSMALL1',
      'NoDigits',
      `Aa1${'x'.repeat(126)}`,
    ]) {
      await assert.rejects(() => link.read(sendWebhook(secret)), MalformedMessage)
    }
    await link.read(sendWebhook('Long-enough-1'))
    await eventually(async () => (await scene.row(id))?.account_secret === 'Long-enough-1')
  })

  test('C1: require a permission and a login', async ({ assert }) => {
    const command = { command: 'setup', id: scene.id }
    const without = identity({ permissions: ['registry_project_manage'] })
    const refused = await send('POST', '/services/registry/command', command, without)
    assert.equal(refused.status, 403)
    assert.equal(refused.body.code, 'permission_denied')
    assert.deepEqual(refused.body.issues[0].path, ['registry_manage'])
    const nobody = await call('POST', '/services/registry/command', { body: command })
    assert.equal(nobody.status, 401)
  })
})

test.group('Reconciliation of registries', (group) => {
  let scene: RegistryScene

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await RegistryScene.create()
    return () => scene.end()
  })

  const project = (name: unknown) => scene.harbor.projects.get(name as string)

  test('L3: nodes and registry projects are linked and unlinked automatically', async ({
    assert,
  }) => {
    const realmId = await newRealm()
    const made = await send('POST', '/nodes', { name: uniqueName(), realmId, registryId: scene.id })
    const node = made.body.data
    await scene.linked(node.registryProjectId)
    assert.isFalse(project(node.externalName)!.isPublic)
    const own = await scene.project()
    await scene.linked(own.id)
    assert.isTrue(project(own.externalName)!.isPublic)
    await send('DELETE', `/nodes/${node.id}`)
    await send('DELETE', `/registry-projects/${own.id}`)
    await eventually(() => scene.harbor.projects.size === 0 && scene.harbor.robots.size === 0)
    await scene.settled()
    assert.isEmpty(await scene.links())
  })

  test('L5: a renamed project leaves nothing under its former name', async ({ assert }) => {
    const own = await scene.project()
    await scene.linked(own.id)
    const externalName = uniqueName('renamed')
    const path = `/registry-projects/${own.id}`
    assert.equal((await send('POST', path, { externalName })).status, 202)
    await eventually(() => !project(own.externalName) && project(externalName) !== undefined)
    await scene.settled()
    const row = (await scene.row(own.id))!
    const robot = scene.harbor.robotOf(externalName)!
    assert.equal(row.external_id, String(project(externalName)!.id))
    assert.deepEqual([row.account_id, row.account_secret], [String(robot.id), robot.secret])
    assert.equal(scene.harbor.robots.size, 1)
  })

  test('a registry without Harbor, or without a server, has its projects under their names', async ({
    assert,
    cleanup,
  }) => {
    const plain = await PlainRegistryServer.start('token')
    cleanup(() => plain.stop())
    for (const access of [plain.access, { host: 'local-images' }]) {
      await send('POST', `/registries/${scene.id}`, { ...access })
      assert.equal((await scene.command('setup')).status, 202)
      await eventually(async () => (await scene.rows()).length === 3)
      await scene.settled()
      for (const row of await scene.rows()) {
        const account = access.host === 'local-images' ? row.external_name : null
        assert.deepEqual(
          [row.external_id, row.account_id, row.account_secret !== null, row.webhook_exists],
          [row.external_name, account, account !== null, false]
        )
      }
      assert.isTrue((await scene.links()).every(({ problem }) => problem === null))
    }
    assert.isEmpty(scene.harbor.requests)
  })

  test('an account that is added later links existing projects', async ({ assert }) => {
    await corePool().query('update registries set account_secret = null where id = $1', [scene.id])
    const own = await scene.project()
    await scene.settled()
    assert.isEmpty(scene.harbor.requests)
    assert.isNull((await scene.row(own.id))!.external_id)
    const accountSecret = 'Harbor12345'
    await send('POST', `/registries/${scene.id}`, { accountSecret })
    await scene.linked(own.id)
  })

  test('a registry with a new host is relinked, and no other account there is removed', async ({
    assert,
    cleanup,
  }) => {
    const own = await scene.project()
    const { account_id: accountId } = await scene.linked(own.id)
    const elsewhere = await HarborServer.start()
    cleanup(() => elsewhere.stop())
    elsewhere.robotStore.skipIds(Number(accountId) - 1)
    const theirs = elsewhere.robotStore.add('theirs')
    theirs.secret = 'theirs'
    await send('POST', `/registries/${scene.id}`, { host: elsewhere.host })
    await eventually(() => elsewhere.projects.has(own.externalName as string))
    await scene.settled()
    const row = (await scene.row(own.id))!
    assert.equal(row.account_secret, elsewhere.robotOf(own.externalName as string)!.secret)
    await send('DELETE', `/registry-projects/${own.id}`)
    await eventually(() => elsewhere.projects.size === 0)
    await scene.settled()
    assert.deepEqual([...elsewhere.robots.values()], [theirs])
    assert.equal(theirs.secret, 'theirs')
    assert.equal(scene.harbor.projects.size, 1)
  })

  test('many concurrent projects are all linked', async ({ assert }) => {
    const made = await Promise.all(Array.from({ length: 20 }, () => scene.project()))
    for (const { id } of made) {
      await scene.linked(id)
    }
    assert.equal(scene.harbor.projects.size, 20)
    assert.equal(scene.harbor.robots.size, 20)
  })
})

const FAULTS: [string, Fault][] = [
  ['is away', { does: 'hangs up' }],
  ['answers 401', { does: 401 }],
  ['answers 500', { does: 500 }],
  ['shows a page', { does: 'shows a page' }],
  ['answers 404 to everything', { does: 404 }],
  ['answers 409 to everything', { does: 409 }],
  ['fails at the robot', { to: /robots/, does: 500 }],
  ['refuses the robot', { to: /robots/, does: 409 }],
  ['fails at the webhook', { to: /webhook/, does: 500 }],
  ['loses the webhook', { to: /webhook/, does: 404 }],
  ['shows a page for the project', { to: /GET projects\/[^/]+$/, does: 'shows a page' }],
]

test.group('Registries with failures', (group) => {
  let scene: RegistryScene

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await RegistryScene.create()
    return () => scene.end()
  })

  const isWhole = (row: Attributes) =>
    ['external_id', 'account_id', 'account_name', 'account_secret', 'webhook_name'].every(
      (name) => row[name] !== null
    )

  const repair = async () => {
    scene.harbor.clearFault()
    await scene.makeDue()
    await sweep()
  }

  for (const [title, fault] of FAULTS) {
    test(`a registry that ${title} leaves no partial record, and is reconciled later`, async ({
      assert,
    }) => {
      scene.harbor.injectFault(fault)
      const took = stopwatch()
      const made = await scene.project()
      assert.isBelow(took(), 1_000)
      await scene.failed()
      const row = (await scene.row(made.id))!
      for (const name of ['external_id', 'account_id', 'account_secret', 'webhook_name']) {
        assert.isNull(row[name])
      }
      assert.isFalse(row.webhook_exists)

      await repair()
      assert.isTrue(isWhole((await scene.row(made.id))!))
      const [link] = await scene.links()
      assert.isNull(link!.problem)
      assert.isNull(link!.due_at)

      scene.harbor.injectFault(fault)
      await send('DELETE', `/registry-projects/${made.id}`)
      await eventually(async () => {
        const [left] = await scene.links()
        return left === undefined || (left.problem !== null && left.leased_until === null)
      })
      await repair()
      assert.isEmpty(await scene.links())
      assert.equal(scene.harbor.projects.size, 0)
      assert.equal(scene.harbor.robots.size, 0)
    })
  }

  test('an unreachable one is paused', async ({ assert }) => {
    scene.harbor.injectFault({ does: 503 })
    await scene.project()
    await scene.failed()
    const requestCount = scene.harbor.requests.length
    for (let count = 0; count < 5; count++) {
      await scene.project()
    }
    await sweep()
    await sweep()
    assert.equal(scene.harbor.requests.length, requestCount)
    assert.lengthOf(await scene.links(), 6)
  })

  test('a failing one does not block others', async ({ assert }) => {
    const other = await RegistryScene.create()
    scene.harbor.injectFault({ does: 'says nothing' })
    for (let count = 0; count < 3; count++) {
      await scene.project()
    }
    const took = stopwatch()
    const made = await other.project()
    await other.linked(made.id)
    assert.isBelow(took(), 2_000)
    scene.harbor.clearFault()
    await other.end()
    await scene.failed()
  }).retry(2)

  test('what was removed by hand is created again', async ({ assert }) => {
    const made = await scene.project()
    await scene.linked(made.id)
    await scene.settled()
    scene.harbor.projects.clear()
    scene.harbor.robots.clear()
    await corePool().query(
      `update registry_links set reconciled_at = now() - interval '2 days' where registry_id = $1`,
      [scene.id]
    )
    await sweep()
    const row = (await scene.row(made.id))!
    assert.isTrue(scene.harbor.projects.has(made.externalName as string))
    assert.equal(row.account_secret, scene.harbor.robotOf(made.externalName as string)!.secret)
  })

  test('the work of a lost command is done nevertheless', async ({ assert }) => {
    const id = clock.uuid()
    await corePool().query(
      `insert into registry_projects (id, name, external_name, registry_id) values ($1, 'lost-one', 'lost-one', $2)`,
      [id, scene.id]
    )
    await sweep()
    assert.isTrue(isWhole((await scene.row(id))!))
    await corePool().query('delete from registry_projects where id = $1', [id])
    await sweep()
    assert.equal(scene.harbor.projects.size, 0)
    assert.isEmpty(await scene.links())
  })

  test('L19: an interrupted command is completed when it is redelivered', async ({ assert }) => {
    const message = newMessage(commandRouting(COMMAND_QUEUES.registry), 'SETUP', { id: scene.id })
    const { read: outside } = registryConsumer.handlers.SETUP!
    await outside(message)
    assert.isEmpty(await scene.rows())
    const bus = await app.container.make(Bus)
    await bus.publish(message, scene.id)
    await eventually(async () => (await scene.rows()).length === 3)
  })

  test('a task stays with its process while that works on it, and half a minute longer', async ({
    assert,
    cleanup,
  }) => {
    scene.harbor.injectFault({ does: 404 })
    const { externalName } = await scene.project()
    await scene.failed()
    await scene.makeDue()
    const place = { registryId: scene.id, externalName: externalName as string }
    const { tasks } = await app.container.make(RegistryLinks)
    const key = taskKey(place)
    const task = await tasks.claimOne(key)
    const then = clock.now()
    const isFree = async () => (await tasks.claimOne(key)) !== undefined
    const later = (seconds: number) => cleanup(overrideClock({ now: () => then + seconds * 1_000 }))
    later(20)
    assert.isFalse(await isFree())
    await tasks.renewLease(task!)
    later(49)
    assert.isFalse(await isFree())
    later(51)
    assert.isTrue(await isFree())
  })

  test('two concurrent reconcilers do everything once', async ({ assert }) => {
    const id = clock.uuid()
    await corePool().query(
      `insert into registry_projects (id, name, external_name, registry_id) values ($1, 'twice-one', 'twice-one', $2)`,
      [id, scene.id]
    )
    await Promise.all([sweep(), sweep(), sweep()])
    await scene.linked(id)
    const made = scene.harbor.requests.filter((requestCount) => requestCount === 'POST robots')
    assert.lengthOf(made, 1)
  })
})

test.group('Webhook requests of registries', (group) => {
  group.setup(startCommands)

  const sendWebhook = {
    type: 'PUSH_ARTIFACT',
    occur_at: 1_700_000_000,
    operator: 'robot$x',
    event_data: {
      repository: { name: 'image', repo_full_name: 'project/image', namespace: 'project' },
      resources: [{ digest: 'sha256:1', tag: 'latest', resource_url: 'hub/project/image:latest' }],
    },
  }
  const basic = (account: string) => `Basic ${Buffer.from(account).toString('base64')}`

  async function client() {
    const { clients } = await identityProvider()
    const { id } = (await clients!.findByName('registry'))!
    return (await clients!.read(id, { secret: true }))!
  }

  const receive = (authorization?: string, body: unknown = sendWebhook, service = 'registry') =>
    call('POST', `/services/${service}/hook`, {
      headers: authorization === undefined ? {} : { authorization },
      body,
    })

  test('a request with the credentials that were set at the link is accepted', async ({
    assert,
  }) => {
    const scene = await RegistryScene.create()
    const made = await scene.project()
    await scene.linked(made.id)
    const { policies } = scene.harbor.projects.get(made.externalName as string)!
    const [{ targets }] = [...policies.values()]
    assert.match(targets[0].address, /\/services\/registry\/hook$/)
    const { status, body } = await receive(targets[0].auth_header)
    await scene.end()
    assert.equal(status, 202)
    assert.isNull(body)
  })

  test('S10: are rejected from callers without the permission', async ({ assert }) => {
    const { id, name, secret } = await client()
    const cases: [string | undefined, number][] = [
      [undefined, 401],
      ['Basic', 401],
      ['Basic !', 401],
      [basic(`${id}:wrong`), 401],
      [basic(`${clock.uuid()}:${secret}`), 401],
      [basic(`${id}:`), 401],
      [basic(`${id}`), 401],
      ['Bearer nothing', 401],
      [identity({ permissions: [] }).headers.authorization, 403],
      [identity({ permissions: ['node_update'] }).headers.authorization, 403],
      [identity({ permissions: ['registry_manage'] }).headers.authorization, 202],
      [basic(`${id}:${secret}`), 202],
      [basic(`${name}:${secret}`), 202],
    ]
    for (const [authorization, status] of cases) {
      assert.equal((await receive(authorization)).status, status, authorization)
    }
  })

  test('an invalid request of a registry is accepted', async ({ assert }) => {
    const { authorization } = admin().headers
    for (const body of [{}, { type: 5 }, { ...sendWebhook, event_data: null }]) {
      assert.equal((await receive(authorization, body)).status, 202)
    }
    assert.equal((await receive(authorization, [])).status, 400)
  })

  test('webhook requests are sent to an existing service', async ({ assert }) => {
    assert.equal((await receive(admin().headers.authorization, sendWebhook, 'system')).status, 404)
  })
})

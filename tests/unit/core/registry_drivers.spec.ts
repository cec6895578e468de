import { test } from '@japa/runner'

import { NameTaken, RegistryFailure } from '#core/registries/registry_driver'
import { createRegistryDriver } from '#core/registries/create_registry_driver'
import { HarborDriver } from '#core/registries/drivers/harbor_driver'
import { HarborApi } from '#core/registries/drivers/harbor_api'
import { HostRules } from '#core/registries/host_rules'
import { NullDriver } from '#core/registries/drivers/null_driver'
import { LOCAL_IMAGES } from '#oci/local_host'
import { inTransactionScope } from '#records/transaction_scope'
import { ACCOUNT, HarborServer, type Fault } from '#tests/helpers/core/harbor_server'
import { PlainRegistryServer, type AuthScheme } from '#tests/helpers/core/plain_registry_server'
import {
  registryDriverSuite,
  obsoleteProject,
  desiredProject,
} from '#tests/helpers/core/harbor_suite'

const driverFor = (harbor: HarborServer, account = ACCOUNT) =>
  new HarborDriver(new HarborApi({ host: harbor.host, ...account }))

/** A driver with a short timeout, for a server that does not respond. */
const impatientDriverFor = (harbor: HarborServer) =>
  new HarborDriver(new HarborApi({ host: harbor.host, ...ACCOUNT }, { limitMs: 150 }))

registryDriverSuite('none', async () => ({ driver: new NullDriver(), async stop() {} }))
registryDriverSuite('the folder of images', async () => ({
  driver: createRegistryDriver({ host: LOCAL_IMAGES, accountName: null, accountSecret: null }),
  async stop() {},
}))
for (const entry of ['basic', 'token', 'zot'] as const) {
  registryDriverSuite(`plain, ${entry}`, async () => {
    const registry = await PlainRegistryServer.start(entry)
    return { driver: createRegistryDriver(registry.access), stop: () => registry.stop() }
  })
}
registryDriverSuite('Harbor that was found to be one', async () => {
  const harbor = await HarborServer.start()
  return { driver: createRegistryDriver(harbor.access), stop: () => harbor.stop() }
})
registryDriverSuite('Harbor', async () => {
  const harbor = await HarborServer.start()
  return { driver: driverFor(harbor), stop: () => harbor.stop() }
})

test.group('Registry driver for Harbor', (group) => {
  let harbor: HarborServer
  let driver: HarborDriver

  group.each.setup(async () => {
    harbor = await HarborServer.start()
    driver = driverFor(harbor)
    return () => harbor.stop()
  })

  const failure = async (work: Promise<unknown>): Promise<RegistryFailure> => {
    const error = await work.then(
      () => undefined,
      (reason) => reason
    )
    if (!(error instanceof RegistryFailure)) {
      throw new Error(`No failure of a registry: ${error}`)
    }
    return error
  }

  test('a linked project has an account that can pull, and a webhook', async ({ assert }) => {
    const linked = await driver.link(desiredProject())
    const project = harbor.projects.get('a-project')!
    const robot = harbor.robotOf('a-project')!
    assert.isFalse(project.isPublic)
    assert.deepEqual(linked, {
      id: String(project.id),
      account: { id: String(robot.id), name: 'robot$a-project', secret: robot.secret },
      webhookId: String([...project.policies.keys()][0]),
      isPublic: false,
    })
    const { kind, namespace, access } = robot.permissions[0]!
    assert.deepEqual([kind, namespace], ['project', 'a-project'])
    assert.notInclude(JSON.stringify(access), 'push')
    const [{ name, event_types: types, targets }] = [...project.policies.values()]
    assert.deepEqual([name, types], ['api', ['PUSH_ARTIFACT']])
    assert.equal(targets[0].address, desiredProject().hook!.address)
    assert.equal(targets[0].auth_header, desiredProject().hook!.authorization)
  })

  test('without a hook there is no webhook', async ({ assert }) => {
    const { webhookId } = await driver.link(desiredProject({ hook: null }))
    assert.isNull(webhookId)
    assert.equal(harbor.projects.get('a-project')!.policies.size, 0)
  })

  test('409: an existing project is updated', async ({ assert }) => {
    const { account } = await driver.link(desiredProject())
    const linked = await driver.link(desiredProject({ isPublic: true }))
    assert.isTrue(harbor.projects.get('a-project')!.isPublic)
    assert.equal(linked.account!.id, account!.id)
    assert.notEqual(linked.account!.secret, account!.secret)
    assert.equal(linked.account!.secret, harbor.robotOf('a-project')!.secret)
    assert.equal(harbor.projects.get('a-project')!.policies.size, 1)
  })

  test('an adopted project is not made public, and is made private', async ({ assert }) => {
    const project = harbor.addProject('a-project')
    const link = (isPublic: boolean) =>
      driver.link(desiredProject({ isPublic, isAdopted: true, adopts: true }))
    assert.isFalse((await link(true)).isPublic)
    assert.isFalse(project.isPublic)
    project.isPublic = true
    assert.isTrue((await link(true)).isPublic)
    assert.isFalse((await link(false)).isPublic)
    assert.isFalse(project.isPublic)
  })

  test('an account gets the secret that is sent', async ({ assert }) => {
    const { account } = await driver.link(desiredProject({ newSecret: 'Chosen123' }))
    assert.equal(account!.secret, 'Chosen123')
    assert.equal(harbor.robotOf('a-project')!.secret, 'Chosen123')
    const changed = await driver.link(desiredProject({ account, newSecret: 'Another123' }))
    assert.equal(changed.account!.secret, 'Another123')
    assert.equal(harbor.robotOf('a-project')!.secret, 'Another123')
  })

  const PULLS = { resource: 'repository', action: 'pull' }

  test('an account gets its permissions back when its project was deleted and created again', async ({
    assert,
  }) => {
    const { account } = await driver.link(desiredProject())
    for (const known of [account, null]) {
      harbor.projectStore.remove('a-project')
      assert.isEmpty(harbor.robotOf('a-project')!.permissions)
      const linked = await driver.link(desiredProject({ account: known }))
      assert.equal(linked.account!.id, account!.id)
      const [{ namespace, access }] = harbor.robotOf('a-project')!.permissions as any
      assert.equal(namespace, 'a-project')
      assert.deepInclude(access, PULLS)
    }
  })

  test('an account that was disabled by hand may pull again', async ({ assert }) => {
    const { account } = await driver.link(desiredProject())
    harbor.robotOf('a-project')!.disable = true
    await driver.link(desiredProject({ account }))
    assert.isFalse(harbor.robotOf('a-project')!.disable)
  })

  test('an account that still cannot pull is a failure', async ({ assert }) => {
    const { account } = await driver.link(desiredProject())
    const robot = harbor.robotOf('a-project')!
    const locked = { get: () => [], set: () => {} }
    Object.defineProperty(robot, 'permissions', locked)
    assert.match((await failure(driver.link(desiredProject({ account })))).message, /did not grant/)
  })

  test('an account has its current name in Harbor, whatever its prefix', async ({ assert }) => {
    const { account } = await driver.link(desiredProject())
    harbor.robotStore.prefix = 'bot_'
    const again = await driver.link(desiredProject({ account }))
    assert.deepEqual(again.account, { ...account!, name: 'bot_a-project' })
    const adopted = await driver.link(desiredProject())
    assert.equal(adopted.account!.name, 'bot_a-project')
    assert.equal(adopted.account!.id, account!.id)
    await driver.unlink(obsoleteProject())
    assert.equal(harbor.robots.size, 0)
  })

  test('a project that the platform did not create is not adopted', async ({ assert }) => {
    const project = harbor.addProject('a-project')
    project.repositories.add('image')
    assert.deepEqual(await driver.find(desiredProject()), {
      id: String(project.id),
      isMarked: false,
      isPublic: false,
      repositories: 1,
    })
    const error = await failure(driver.link(desiredProject({ mayExist: false, isPublic: true })))
    assert.instanceOf(error, NameTaken)
    assert.isFalse(project.isPublic)
    assert.equal(project.policies.size + harbor.robots.size, 0)
  })

  test('a project is identified by the account that the platform created for the same record', async ({
    assert,
  }) => {
    await driver.link(desiredProject())
    assert.isTrue((await driver.find(desiredProject()))!.isMarked)
    assert.isFalse((await driver.find(desiredProject({ owner: 'another' })))!.isMarked)
  })

  test('the account of a worker is never adopted for a project, even by an administrator', async ({
    assert,
  }) => {
    harbor.addProject('worker-1')
    const projects = [{ name: 'worker-1', isPushedTo: true }]
    const worker = { name: 'worker-1', owner: '1', account: null, projects }
    const account = (await driver.ensureWorkerAccount(worker))!
    for (const adopts of [false, true]) {
      const error = await failure(
        driver.link(desiredProject({ name: 'worker-1', account, adopts }))
      )
      assert.match(error.message, /did not create/)
    }
    await driver.unlink(
      obsoleteProject({ name: 'worker-1', accountId: account.id, isAdopted: true })
    )
    const { secret, permissions } = harbor.robotOf('worker-1')!
    assert.equal(secret, account.secret)
    assert.deepInclude(permissions[0]!.access, { resource: 'repository', action: 'push' })
  })

  test('a foreign account is adopted by an administrator only', async ({ assert }) => {
    const robot = harbor.robotStore.add('a-project')
    const { secret } = robot
    await failure(driver.link(desiredProject()))
    await driver.unlink(obsoleteProject())
    assert.equal(harbor.robotOf('a-project')!.secret, secret)
    const { account } = await driver.link(desiredProject({ adopts: true }))
    assert.equal(account!.id, String(robot.id))
    assert.notEqual(account!.secret, secret)
  })

  test('an account older than the marks stays with its record, and is marked', async ({
    assert,
  }) => {
    const { account } = await driver.link(desiredProject())
    const robot = harbor.robotOf('a-project')!
    const mark = robot.description
    robot.description = ''
    const linked = await driver.link(desiredProject({ account }))
    assert.deepEqual(linked.account, account)
    assert.equal(robot.description, mark)
    robot.description = ''
    await driver.unlink(obsoleteProject({ accountId: account!.id }))
    assert.equal(harbor.robots.size, 0)
  })

  test('an account of another name is not used', async ({ assert }) => {
    const other = harbor.robotStore.add('not-a-project')
    const { account } = await driver.link(desiredProject())
    assert.notEqual(account!.id, String(other.id))
    await driver.unlink(obsoleteProject())
    assert.deepEqual([...harbor.robots.values()], [other])
  })

  test('a secret that Harbor would reject is not sent at each retry', async ({ assert }) => {
    const { account } = await driver.link(desiredProject({ newSecret: 'weak' }))
    assert.notEqual(account!.secret, 'weak')
    const linked = await driver.link(desiredProject({ account: { ...account!, secret: 'weak' } }))
    assert.equal(linked.account!.secret, harbor.robotOf('a-project')!.secret)
    assert.notEqual(linked.account!.secret, 'weak')
  })

  test('a wrong password is detected, although public projects can be read with it', async ({
    assert,
  }) => {
    harbor.addProject('library', true)
    const stranger = driverFor(harbor, { ...ACCOUNT, accountSecret: 'wrong' })
    assert.isTrue(
      (await failure(stranger.find(desiredProject({ name: 'library' })))).isRegistryWide
    )
    assert.isTrue((await failure(stranger.requireAccount())).isRegistryWide)
    await driver.requireAccount()
  })

  test('webhooks skip the verification of certificates only if the host is listed', async ({
    assert,
  }) => {
    const rulesOf = (insecure: string[]) =>
      new HostRules({ allowed: undefined, configured: [], isStrict: false, ownPorts: [], insecure })
    for (const insecure of [[], [harbor.host]]) {
      const api = new HarborApi({ host: harbor.host, ...ACCOUNT }, { rules: rulesOf(insecure) })
      await new HarborDriver(api).link(desiredProject())
      const [{ targets }] = [...harbor.projects.get('a-project')!.policies.values()]
      assert.equal(targets[0].skip_cert_verify, insecure.length > 0)
    }
  })

  test('404: a missing account is created again', async ({ assert }) => {
    const { account } = await driver.link(desiredProject())
    harbor.robots.clear()
    const linked = await driver.link(desiredProject({ account }))
    assert.notEqual(linked.account!.id, account!.id)
    assert.equal(linked.account!.secret, harbor.robotOf('a-project')!.secret)
  })

  test('a project is removed with all its repositories, however many and nested', async ({
    assert,
  }) => {
    const { account } = await driver.link(desiredProject())
    const { repositories } = harbor.projects.get('a-project')!
    for (let number = 0; number < 120; number++) {
      repositories.add(`deep/er/image-${number}`)
    }
    await driver.unlink(obsoleteProject({ accountId: account!.id }))
    assert.equal(harbor.projects.size, 0)
    assert.equal(harbor.robots.size, 0)
  })

  test('an account that was not stored is removed with its project', async ({ assert }) => {
    await driver.link(desiredProject())
    await driver.unlink(obsoleteProject())
    assert.equal(harbor.robots.size, 0)
  })

  test('a project that existed before stays, with its images', async ({ assert }) => {
    const project = harbor.addProject('a-project')
    project.repositories.add('image')
    const { account } = await driver.link(desiredProject())
    await driver.unlink(obsoleteProject({ accountId: account!.id, isAdopted: true }))
    assert.deepEqual([...project.repositories], ['image'])
    assert.equal(project.policies.size, 0)
    assert.equal(harbor.robots.size, 0)
  })

  const FAULTS: [title: string, Fault, isRegistryWide: boolean][] = [
    ['hangs up', { does: 'hangs up' }, true],
    ['is slow', { does: 'says nothing' }, true],
    ['answers 401', { does: 401 }, true],
    ['answers 403', { does: 403 }, true],
    ['answers 400', { does: 400 }, false],
    ['answers 500', { does: 500 }, true],
    ['answers 503', { does: 503 }, true],
    ['redirects', { does: 'redirects' }, true],
    ['shows a page that says 404', { does: 'shows a page' }, true],
  ]

  for (const [title, fault, isRegistryWide] of FAULTS) {
    test(`a registry that ${title} is a failure of every call, which names no secret`, async ({
      assert,
    }) => {
      const { account } = await driver.link(desiredProject())
      harbor.injectFault(fault)
      const failing = fault.does === 'says nothing' ? impatientDriverFor(harbor) : driver
      const project = obsoleteProject({ accountId: account!.id })
      for (const work of [
        () => failing.find(desiredProject()),
        () => failing.link(desiredProject({ account })),
        () => failing.unlink(project),
      ]) {
        const error = await failure(work())
        assert.equal(error.isRegistryWide, isRegistryWide)
        assert.notMatch(error.message, /Harbor12345|Generated|secret-of-the-server|admin/)
      }
      assert.equal(harbor.projects.size, 1)
      harbor.clearFault()
      await driver.unlink(project)
      assert.equal(harbor.projects.size, 0)
    })
  }

  test('wrong credentials are a failure', async ({ assert }) => {
    const stranger = driverFor(harbor, { ...ACCOUNT, accountSecret: 'wrong' })
    assert.isTrue((await failure(stranger.link(desiredProject()))).isRegistryWide)
  })

  test('a stopped server is a failure', async ({ assert }) => {
    const stopped = await HarborServer.start()
    const { host } = stopped
    await stopped.stop()
    const api = new HarborApi({ host, ...ACCOUNT })
    assert.isTrue((await failure(new HarborDriver(api).find(desiredProject()))).isRegistryWide)
  })

  test('it is not called while a transaction is open', async ({ assert }) => {
    await assert.rejects(
      () => inTransactionScope(() => driver.find(desiredProject())),
      /while a transaction was open/
    )
    assert.isEmpty(harbor.requests)
  })

  test('an invalid host is not called', async ({ assert }) => {
    for (const host of ['127.0.0.1:1/x', 'a@127.0.0.1:1', '127.0.0.1:1?x=', 'not a host']) {
      await assert.rejects(async () => new HarborApi({ host, ...ACCOUNT }), RegistryFailure)
    }
  })
})

test.group('Registries of an unknown type', () => {
  const started = async (entry: AuthScheme, cleanup: (end: () => Promise<void>) => void) => {
    const registry = await PlainRegistryServer.start(entry)
    cleanup(() => registry.stop())
    return registry
  }

  test('one without an account is not managed', ({ assert }) => {
    const host = '127.0.0.1:1'
    assert.instanceOf(
      createRegistryDriver({ host, accountName: 'admin', accountSecret: null }),
      NullDriver
    )
    assert.instanceOf(
      createRegistryDriver({ host, accountName: null, accountSecret: 'x' }),
      NullDriver
    )
  })

  test('a registry other than Harbor accepts a project under its name, without an account or a webhook', async ({
    assert,
    cleanup,
  }) => {
    const registry = await started('basic', cleanup)
    const linked = await createRegistryDriver(registry.access).link(desiredProject())
    assert.deepEqual(linked, { id: 'a-project', account: null, webhookId: null, isPublic: null })
  })

  test('the type is detected once', async ({ assert, cleanup }) => {
    const registry = await started('basic', cleanup)
    const driver = createRegistryDriver(registry.access)
    await driver.requireAccount()
    await driver.link(desiredProject())
    const described = registry.requests.filter((request) => request.endsWith('/systeminfo'))
    assert.lengthOf(described, 1)
  })

  for (const entry of ['basic', 'token', 'zot'] as const) {
    test(`a registry that rejects the account is paused as a whole: ${entry}`, async ({
      assert,
      cleanup,
    }) => {
      const { host } = await started(entry, cleanup)
      const driver = createRegistryDriver({ host, accountName: 'pusher', accountSecret: 'another' })
      for (const work of [driver.requireAccount(), driver.link(desiredProject())]) {
        const error = await work.then(
          () => undefined,
          (reason) => reason
        )
        assert.instanceOf(error, RegistryFailure)
        assert.isTrue(error.isRegistryWide)
        assert.notInclude(JSON.stringify(error) + error.stack, 'another')
      }
    })
  }

  test('the registry of a partly unreachable Harbor is not detected as a plain one', async ({
    assert,
    cleanup,
  }) => {
    const registry = await started('harbor', cleanup)
    await assert.rejects(
      () => createRegistryDriver(registry.access).link(desiredProject()),
      /POST projects with 404/
    )
    assert.notInclude(registry.requests, 'GET /token')
  })

  test('an account is not sent in plain text to a token service at another host', async ({
    assert,
    cleanup,
  }) => {
    const registry = await started('token elsewhere', cleanup)
    await assert.rejects(
      () => createRegistryDriver(registry.access).requireAccount(),
      /does not use https/
    )
  })

  test('the page of a proxy is not detected as a registry', async ({ assert, cleanup }) => {
    const harbor = await HarborServer.start()
    cleanup(() => harbor.stop())
    harbor.injectFault({ does: 'shows a page' })
    await assert.rejects(
      () => createRegistryDriver(harbor.access).link(desiredProject()),
      /POST projects with 404/
    )
  })
})

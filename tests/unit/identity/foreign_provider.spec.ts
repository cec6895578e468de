import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import {
  BadRequest,
  EntityConflict,
  IdentityUnavailable,
  ServiceUnavailable,
} from '#kernel/failures'
import { missingRights } from '#auth/external/rights'
import { RemoteProvider } from '#auth/external/remote_provider'
import { ensurePermissions } from '#auth/client_permissions'
import { SkippedRecords } from '#core/clients/skipped_records'
import { reconcileClients, type OwnerOfClient } from '#core/clients/reconcile_clients'
import { realmSweep, userSweep } from '#auth/reconcile_people'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { metrics } from '#observability/metrics'
import { overrideClock } from '#kernel/clock'

import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider, settingsFor, silent } from './subjects.js'

const DESCRIPTION = '/.well-known/openid-configuration'
const running = new AbortController().signal

let standIn: StandInProvider
let provider: ReturnType<typeof externalProvider>

const setUp = async () => {
  standIn = await StandInProvider.start()
  standIn.describesRealms = true
  provider = externalProvider(standIn)
  return () => standIn.goAway()
}

/** Replaces the response for one path. */
function answering(path: string, reply: { status: number; location?: string; body?: unknown }) {
  standIn.fail((request, answer) =>
    request.url!.startsWith(path) ? { body: '', ...reply } : answer()
  )
}

test.group('A provider that describes itself per realm', (group) => {
  group.each.setup(setUp)

  test('a redirect to the discovery document of a realm is followed, and its tokens are accepted', async ({
    assert,
  }) => {
    assert.deepEqual((await provider.metadata()).issuers, [standIn.url])
    const actor = await new TokenVerifier(provider).verify(standIn.mint())
    assert.equal(actor?.id, standIn.ann.id)
  })

  test('a redirect to another origin is rejected and logged', async ({ assert }) => {
    const other = await StandInProvider.start()
    answering(DESCRIPTION, { status: 302, location: other.url + DESCRIPTION })
    const failure = await provider.metadata().catch((error) => error)
    await other.goAway()
    assert.instanceOf(failure, IdentityUnavailable)
    assert.match(failure.cause.message, /redirects to http.+IDENTITY_URL/)
    assert.isEmpty(other.seen)
  })

  test('redirect loops are rejected', async ({ assert }) => {
    answering(DESCRIPTION, { status: 302, location: DESCRIPTION })
    await assert.rejects(() => provider.metadata(), IdentityUnavailable)
    assert.equal(standIn.count(DESCRIPTION), 4)
  })

  test('requests with credentials or side effects are not redirected', async ({ assert }) => {
    const token = standIn.mint()
    await provider.ownToken()
    standIn.fail((request) =>
      request.url === '/elsewhere'
        ? { status: 200, body: { active: true, data: { id: 'x' } } }
        : { status: 307, body: '', location: '/elsewhere' }
    )
    for (const call of [provider.introspect(token), provider.clients.read('x')]) {
      await assert.rejects(() => call, IdentityUnavailable)
    }
    assert.equal(standIn.count('/elsewhere'), 0)
  })
})

test.group('Whether tokens can be verified', (group) => {
  group.each.setup(setUp)

  test('verification works while the provider responds; the check is cached', async ({
    assert,
  }) => {
    const tokens = new TokenVerifier(provider)
    await tokens.requireWorking()
    const before = standIn.seen.length
    await tokens.requireWorking()
    assert.lengthOf(standIn.seen, before)
  })

  test('verification fails if {0}')
    .with([
      ['its description leads astray', DESCRIPTION],
      ['it shows no keys', '/jwks'],
      ['it does not answer about tokens', '/token/introspect'],
      ['it gives the platform no token', '/token'],
    ] as const)
    .run(async ({ assert, cleanup }, [, path]) => {
      let now = Date.now()
      cleanup(overrideClock({ now: () => now }))
      standIn.fail((request, answer) =>
        request.url === path ? { status: 503, body: '' } : answer()
      )
      const tokens = new TokenVerifier(provider)
      await assert.rejects(() => tokens.requireWorking(), IdentityUnavailable)
      standIn.fail()
      const before = standIn.seen.length
      await assert.rejects(() => tokens.requireWorking(), IdentityUnavailable)
      assert.lengthOf(standIn.seen, before)
      now += 1_000
      await tokens.requireWorking()
    })

  test('the check is repeated after half a minute', async ({ assert, cleanup }) => {
    let now = Date.now()
    cleanup(overrideClock({ now: () => now }))
    const tokens = new TokenVerifier(provider)
    await tokens.requireWorking()
    answering('/token/introspect', { status: 503 })
    await tokens.requireWorking()
    now += 30_000
    await assert.rejects(() => tokens.requireWorking(), IdentityUnavailable)
  })
})

const sweep = (make: typeof realmSweep, existingIds: string[], by = provider) => {
  const forgotten: string[] = []
  const { run } = make({
    provider: by,
    referencedIds: async () => existingIds,
    removeReferences: async (id) => forgotten.push(id),
  })
  return { run: () => run(running), forgotten }
}

test.group('Sweeps and the provider', (group) => {
  group.each.setup(setUp)

  test('sweeps wait until the provider is known', async ({ assert, cleanup }) => {
    const remote = new RemoteProvider(settingsFor(standIn))
    cleanup(() => remote.close())
    const gone = randomUUID()
    const realms = sweep(realmSweep, [gone], remote as never)
    await realms.run()
    assert.deepEqual(realms.forgotten, [gone])
  })

  test('sweeps fail while the provider does not respond', async ({ assert, cleanup }) => {
    await standIn.goAway()
    const remote = new RemoteProvider(settingsFor(standIn))
    cleanup(() => remote.close())
    const realms = sweep(realmSweep, [randomUUID()], remote as never)
    await assert.rejects(realms.run, IdentityUnavailable)
    await standIn.listen()
  })
})

test.group('Deleted realms and users', (group) => {
  group.each.setup(setUp)

  /** Lists omit users of other realms, but lookups by id find them. */
  const showOwnRealmOnly = (status: number) => {
    standIn.records.add('users', { name: 'root', realmId: standIn.realms.master.id })
    standIn.fail(async (request, answer) => {
      const reply = await answer()
      const { data } = (reply.body ?? {}) as { data?: any }
      if (!request.url!.startsWith('/users')) {
        return reply
      }
      if (Array.isArray(data)) {
        const shown = data.filter(({ realmId }) => realmId === standIn.realms.master.id)
        return { ...reply, body: { data: shown, meta: { total: shown.length } } }
      }
      return data?.realmId === standIn.realms.siteA.id ? { status, body: {} } : reply
    })
  }

  test('an id that is only missing in the list is not deleted', async ({ assert }) => {
    standIn.fail(async (request, answer) => {
      const reply = await answer()
      const isList = request.url!.startsWith('/users?')
      const [hidden] = standIn.records.table('users')
      const data = isList ? (reply.body as any).data.filter((one: any) => one.id !== hidden!.id) : 0
      return isList ? { ...reply, body: { data, meta: { total: data.length } } } : reply
    })
    standIn.records.add('users', { name: 'bob', realmId: standIn.realms.siteA.id })
    const users = sweep(userSweep, [standIn.ann.id])
    assert.equal(await users.run(), 0)
    assert.isEmpty(users.forgotten)
  })

  test('nothing is removed if users of other realms are hidden ({0})')
    .with([403, 404])
    .run(async ({ assert }, status) => {
      showOwnRealmOnly(status)
      const users = sweep(userSweep, [standIn.ann.id])
      const failure = await users.run().catch((error) => error)
      assert.instanceOf(failure, IdentityUnavailable)
      assert.match(failure.message, /realm scope any/)
      assert.isEmpty(users.forgotten)
    })

  test('nothing is removed if an existing user is not found either', async ({ assert }) => {
    answering(`/realms/`, { status: 404 })
    const realms = sweep(realmSweep, [randomUUID()])
    await assert.rejects(realms.run, IdentityUnavailable)
    assert.isEmpty(realms.forgotten)
  })

  test('nothing is removed beyond the limit', async ({ assert }) => {
    const many = Array.from({ length: 6 }, () => randomUUID())
    const users = sweep(userSweep, many)
    const failure = await users.run().catch((error) => error)
    assert.instanceOf(failure, ServiceUnavailable)
    assert.match(failure.message, /^6 users.+IDENTITY_GONE_AT_ONCE=6/)
    assert.isEmpty(users.forgotten)
    const few = sweep(userSweep, many.slice(1))
    await few.run()
    assert.lengthOf(few.forgotten, 5)
  })
})

test.group('Rights of the platform’s own client', (group) => {
  group.each.setup(setUp)

  test('that are missing are named in a warning at the start', async ({ assert, cleanup }) => {
    const warned = Promise.withResolvers<any>()
    const logger = { ...silent, warn: (details: unknown) => warned.resolve(details) }
    const remote = new RemoteProvider(settingsFor(standIn, { logger: logger as never }))
    cleanup(() => remote.close())
    const { missing } = await warned.promise
    assert.includeMembers(missing, ['analysis_update', 'analysis_self_storage_use'])
  })

  test('the platform’s own client needs the permissions that the provider defines, and those it grants', async ({
    assert,
  }) => {
    standIn.records.add('permissions', { name: 'client_permission_create' })
    assert.deepEqual(await missingRights(provider), [
      'client_permission_create',
      'analysis_update',
      'analysis_self_storage_use',
      'analysis_self_message_broker_use',
    ])
    const [system] = standIn.records.table('clients')
    for (const permission of standIn.records.table('permissions')) {
      const grant = { clientId: system!.id, permissionId: permission.id }
      standIn.records.add('client-permissions', grant)
    }
    assert.isEmpty(await missingRights(provider))
  })
})

test.group('A permission that a realm or a client made for itself', (group) => {
  group.each.setup(setUp)

  test('a permission of a realm does not count, whatever it is called', async ({ assert }) => {
    const theirs = [
      { name: 'node_delete', realm_id: standIn.realms.siteA.id, client_id: null },
      { name: 'registry_manage', realm_id: null, client_id: randomUUID() },
      { name: 'log_read', realm_id: null, client_id: null },
    ]
    standIn.fail(async (request, answer) => {
      const reply = await answer()
      const isIntrospection = request.url === '/token/introspect'
      return isIntrospection
        ? { ...reply, body: { ...(reply.body as object), permissions: theirs } }
        : reply
    })
    const actor = await new TokenVerifier(provider).verify(standIn.mint())
    assert.deepEqual([...actor!.permissions], ['log_read'])
  })

  test('a permission of a realm never replaces the global one', async ({ assert }) => {
    const { clients } = provider
    const [everywhere] = standIn.records
      .table('permissions')
      .filter(({ name }) => name === 'analysis_update')
    const theirs = { name: 'analysis_update', realmId: standIn.realms.siteA.id }
    const impostor = standIn.records.add('permissions', theirs)
    standIn.records.table('permissions').reverse()
    assert.equal((await clients.permission('analysis_update'))?.id, everywhere!.id)
    assert.isUndefined(await clients.permission(impostor.id))

    const realmId = standIn.realms.siteA.id
    const { id } = await clients.create({ name: randomUUID(), realmId })
    await clients.grant(id, impostor.id)
    await ensurePermissions(clients, id, { names: ['analysis_update'], exclusive: true })
    const existingIds = await clients.permissionsOf(id)
    assert.deepEqual(
      existingIds.map(({ permissionId }) => permissionId),
      [everywhere!.id]
    )
  })
})

test.group('A user who was deactivated', (group) => {
  group.each.setup(setUp)

  test('a deactivated user is rejected within a minute although the token is active', async ({
    assert,
    cleanup,
  }) => {
    let now = Date.now()
    cleanup(overrideClock({ now: () => now }))
    const tokens = new TokenVerifier(provider)
    const token = standIn.mint()
    assert.isDefined(await tokens.verify(token))
    standIn.ann.active = false
    assert.isDefined(await tokens.verify(token))
    now += 60_000
    assert.isUndefined(await tokens.verify(token))
    standIn.ann.active = true
    now += 5_000
    assert.isDefined(await tokens.verify(token))
  })

  test('a token of a deleted user is rejected', async ({ assert }) => {
    const token = standIn.mint()
    const users = standIn.records.table('users')
    users.splice(users.indexOf(standIn.ann), 1)
    assert.isUndefined(await provider.introspect(token))
  })

  test('without permission to read users a warning is logged once a minute', async ({ assert }) => {
    const warnings: unknown[] = []
    const logger = { ...silent, warn: (details: unknown) => void warnings.push(details) }
    const limited = externalProvider(standIn, { logger: logger as never })
    answering('/users/', { status: 403 })
    assert.isDefined(await limited.introspect(standIn.mint()))
    assert.isDefined(await limited.introspect(standIn.mint()))
    assert.deepEqual(warnings, [{ missing: 'user_read' }])
  })
})

test.group('What the provider refuses', (group) => {
  group.each.setup(setUp)

  test('a refusal is the mistake of the caller: a name, a realm', async ({ assert }) => {
    const realmId = standIn.realms.siteA.id
    const { clients } = provider
    const [one, other] = [
      await clients.create({ name: randomUUID(), realmId }),
      await clients.create({ name: randomUUID(), realmId }),
    ]
    const secret = randomUUID()
    const outcomes = await Promise.allSettled([
      clients.rotate(one.id, { secret, name: other.name }),
      clients.rotate(one.id, { secret, name: 'no name!' }),
      clients.create({ name: randomUUID(), realmId: randomUUID() }),
      clients.create({ name: 'no name!', realmId }),
    ])
    const [taken, ...wrong] = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason)
    assert.instanceOf(taken, EntityConflict)
    assert.containsSubset(taken.issues, [{ code: 'value_exists', path: ['name'] }])
    wrong.forEach((reason) => assert.instanceOf(reason, BadRequest))
    assert.deepEqual(
      wrong.map(({ issues }) => issues[0].path),
      [['name'], ['realmId'], ['realmId']]
    )
  })
})

test.group('Clients that cannot be put in order', (group) => {
  group.each.setup(setUp)

  const warnings: any[] = []
  const logger = { warn: (details: unknown) => void warnings.push(details) }
  const counted = async () => {
    const [gauge] = (await metrics.getMetricsAsJSON()).filter(
      ({ name }) => name === 'identity_clients_passed_over'
    )
    return gauge!.values.find(({ labels }) => labels.sweep === 'test')?.value
  }

  const reconcile = (owners: OwnerOfClient[], passedOver: SkippedRecords) => {
    const assigned = new Map<string, string>()
    const owned = async function* () {
      yield* owners
    }
    const assign = async ({ id }: { id: string }, clientId: string) => {
      assigned.set(id, clientId)
      return true
    }
    const permissions = { names: [] }
    const options = { provider, owners: owned, assign, permissions, skipped: passedOver }
    return reconcileClients(options, running).then(() => assigned)
  }

  test('failing clients are skipped, counted and logged once', async ({ assert }) => {
    warnings.length = 0
    const passedOver = new SkippedRecords('test', logger)
    const stray = { id: randomUUID(), realmId: randomUUID(), clientId: null }
    const good = { id: randomUUID(), realmId: standIn.realms.siteA.id, clientId: null }
    assert.deepEqual([...(await reconcile([stray, good], passedOver)).keys()], [good.id])
    assert.equal(await counted(), 1)
    await reconcile([stray], passedOver)
    assert.lengthOf(warnings, 1)
    assert.equal(warnings[0].record, stray.id)
    await reconcile([], passedOver)
    assert.equal(await counted(), 0)
  })

  test('the sweep fails if the provider does', async ({ assert }) => {
    const realmId = standIn.realms.siteA.id
    const owners = Array.from({ length: 4 }, () => ({ id: randomUUID(), realmId, clientId: null }))
    answering('/clients', { status: 500 })
    const passedOver = new SkippedRecords('test', logger)
    await assert.rejects(() => reconcile(owners, passedOver), IdentityUnavailable)
  })

  test('clients are not replaced beyond the limit, or if the provider hides them', async ({
    assert,
  }) => {
    const realmId = standIn.realms.siteA.id
    const lost = () => ({ id: randomUUID(), realmId, clientId: randomUUID() })
    const passedOver = new SkippedRecords('test', logger)
    const many = Array.from({ length: 6 }, lost)
    await assert.rejects(() => reconcile(many, passedOver), ServiceUnavailable)
    answering('/clients/', { status: 404 })
    await assert.rejects(() => reconcile([lost()], passedOver), IdentityUnavailable)
    assert.lengthOf(standIn.records.table('clients'), 1)
  })
})

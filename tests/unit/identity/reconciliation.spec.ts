import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { IdentityUnavailable } from '#kernel/failures'
import {
  ANALYSIS_CLIENT_PERMISSIONS,
  ensurePermissions,
  NODE_CLIENT_PERMISSIONS,
} from '#auth/client_permissions'
import { reactToChanges } from '#auth/reactions'
import { SkippedRecords } from '#core/clients/skipped_records'
import { reconcileClients, type OwnerOfClient } from '#core/clients/reconcile_clients'
import { realmSweep, userSweep } from '#auth/reconcile_people'
import type { ClientDirectory, IdentityProvider, ProviderChange } from '#auth/provider'
import { withManualTimers } from '#tests/helpers/manual_timers'

import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from './subjects.js'

let standIn: StandInProvider
let provider: ReturnType<typeof externalProvider>

type Needed = 'people' | 'whenReady' | 'introspect' | 'ownToken'

const running = new AbortController().signal

const setUp = async () => {
  standIn = await StandInProvider.start()
  provider = externalProvider(standIn)
  return () => standIn.goAway()
}

const newClient = () =>
  provider.clients.create({ name: randomUUID(), realmId: standIn.realms.siteA.id })

async function permissionNamesOf(clientId: string): Promise<string[]> {
  const grants = await provider.clients.permissionsOf(clientId)
  return grants.map(({ permission }) => permission.name)
}

test.group('Permissions of clients', (group) => {
  group.each.setup(setUp)

  test('permissions of a node are exactly one: others are revoked', async ({ assert }) => {
    const { id } = await newClient()
    const { clients } = provider
    await clients.grant(id, (await clients.permission('node_delete'))!.id)
    const wanted = { names: NODE_CLIENT_PERMISSIONS, exclusive: true }
    assert.isEmpty(await ensurePermissions(clients, id, wanted))
    assert.deepEqual(await permissionNamesOf(id), ['analysis_update'])
  })

  test('permissions of an analysis are added to existing ones', async ({ assert }) => {
    const { id } = await newClient()
    const { clients } = provider
    await clients.grant(id, (await clients.permission('log_read'))!.id)
    await ensurePermissions(clients, id, { names: ANALYSIS_CLIENT_PERMISSIONS })
    assert.sameMembers(await permissionNamesOf(id), ['log_read', ...ANALYSIS_CLIENT_PERMISSIONS])
  })

  test('that exist are not granted again', async ({ assert }) => {
    const { id } = await newClient()
    const wanted = { names: NODE_CLIENT_PERMISSIONS, exclusive: true }
    await ensurePermissions(provider.clients, id, wanted)
    const before = standIn.seen.length
    await ensurePermissions(provider.clients, id, wanted)
    const methods = standIn.seen.slice(before).map(({ method }) => method)
    assert.deepEqual(methods, ['GET'])
  })

  test('unknown permissions are returned, and the others granted', async ({ assert }) => {
    const { id } = await newClient()
    const names = ['unheard_of', 'analysis_update']
    assert.deepEqual(await ensurePermissions(provider.clients, id, { names }), ['unheard_of'])
    assert.deepEqual(await permissionNamesOf(id), ['analysis_update'])
  })
})

test.group('Clients without a display name', (group) => {
  group.each.setup(setUp)

  test('a client is shown by the id of its record from the next sweep on, others stay as they are', async ({
    assert,
  }) => {
    const nameless = await newClient()
    const known = await newClient()
    await provider.clients.setDisplayName(known.id, 'Site A')
    const ownerOf = ({ id, realmId }: typeof known) => ({ id: randomUUID(), realmId, clientId: id })
    const owners = [ownerOf(nameless), ownerOf(known)]
    await reconcileClients(
      {
        provider,
        async *owners() {
          yield* owners
        },
        assign: async () => true,
        permissions: { names: [] },
        skipped: new SkippedRecords('test', { warn() {} }),
      },
      running
    )
    const shown = owners.map(async ({ clientId }) => (await provider.clients.read(clientId))!)
    assert.deepEqual(
      (await Promise.all(shown)).map(({ displayName }) => displayName),
      [owners[0]!.id, 'Site A']
    )
  })
})

test.group('Missing clients', (group) => {
  group.each.setup(setUp)

  const reconcile = (owners: OwnerOfClient[], isThere = true) => {
    const assigned = new Map<string, string>()
    const done = reconcileClients(
      {
        provider,
        async *owners() {
          yield* owners
        },
        assign: async ({ id }, clientId) => {
          assigned.set(id, clientId)
          return isThere
        },
        permissions: { names: NODE_CLIENT_PERMISSIONS, exclusive: true },
        skipped: new SkippedRecords('test', { warn() {} }),
      },
      running
    )
    return { done, assigned }
  }

  test('deleted clients are recreated with their permissions', async ({ assert }) => {
    const realmId = standIn.realms.siteA.id
    const lost = { id: randomUUID(), realmId, clientId: randomUUID() }
    const never = { id: randomUUID(), realmId, clientId: null }
    const { id: clientId } = await newClient()
    const whole = { id: randomUUID(), realmId, clientId }
    const { done, assigned } = reconcile([lost, never, whole])
    assert.equal(await done, 2)
    assert.sameMembers([...assigned.keys()], [lost.id, never.id])
    for (const id of [...assigned.values(), clientId]) {
      assert.deepEqual(await permissionNamesOf(id), ['analysis_update'])
    }
  })

  test('no client is created for a record deleted meanwhile', async ({ assert }) => {
    const lost = { id: randomUUID(), realmId: standIn.realms.siteA.id, clientId: null }
    const { done } = reconcile([lost], false)
    assert.equal(await done, 0)
    assert.isUndefined(await provider.clients.findByName(lost.id))
  })
})

test.group('Deleted realms and users', (group) => {
  group.each.setup(setUp)

  const sweep = (
    make: typeof realmSweep,
    existingIds: string[],
    by: Pick<IdentityProvider, Needed>
  ) => {
    const forgotten: string[] = []
    const { run } = make({
      provider: by,
      referencedIds: async () => existingIds,
      removeReferences: async (id) => forgotten.push(id),
    })
    return { run: () => run(running), forgotten }
  }

  test('references to deleted realms and users are removed, and no others', async ({ assert }) => {
    const gone = randomUUID()
    const realms = sweep(realmSweep, [standIn.realms.siteA.id, gone], provider)
    await realms.run()
    assert.deepEqual(realms.forgotten, [gone])
    const users = sweep(userSweep, [gone, standIn.ann.id], provider)
    await users.run()
    assert.deepEqual(users.forgotten, [gone])
  })

  test('nothing is removed if the provider lists no user', async ({ assert }) => {
    const realms = sweep(realmSweep, [randomUUID()], {
      people: undefined,
      whenReady: () => provider.whenReady(),
      introspect: (token) => provider.introspect(token),
      ownToken: () => provider.ownToken(),
    })
    assert.equal(await realms.run(), 0)
    assert.isEmpty(realms.forgotten)
  })

  test('an empty or broken list never removes everything', async ({ assert }) => {
    const realms = sweep(realmSweep, [standIn.realms.siteA.id], provider)
    await provider.ownToken()
    standIn.records.table('realms').length = 0
    await assert.rejects(realms.run, IdentityUnavailable)
    standIn.fail(() => ({ status: 500, body: '' }))
    await assert.rejects(realms.run, IdentityUnavailable)
    assert.isEmpty(realms.forgotten)
  })

  test('a user created during the request is not removed', async ({ assert }) => {
    const existingIds = [standIn.realms.siteA.id]
    const forgotten: string[] = []
    const { run } = realmSweep({
      provider,
      referencedIds: async () => [...existingIds],
      removeReferences: async (id) => forgotten.push(id),
    })
    standIn.fail(async (request, answer) => {
      const reply = await answer()
      if (request.url?.startsWith('/realms')) {
        existingIds.push(standIn.records.add('realms', { name: 'site-b' }).id)
      }
      return reply
    })
    assert.equal(await run(running), 0)
    assert.isEmpty(forgotten)
  })
})

test.group('Reactions to provider events', () => {
  const change = (type: string, event: string, id = 'x') =>
    ({ type, event, data: { id, name: 'registry' } }) as ProviderChange

  const set = async (failing = false, standing?: string) => {
    const seen: string[] = []
    const errors: unknown[] = []
    let emitChange: (change: ProviderChange) => void = () => {}
    const source = {
      people: {
        showsEverybody: false,
        realmIds: async () => new Set<string>(),
        users: async () => new Map<string, string>(),
        hasRealm: async (id: string) => id === standing,
        hasUser: async (id: string) => id === standing,
      },
      clients: {
        read: async (id: string) =>
          id === standing || id === 'inactive' ? { active: id === standing } : undefined,
      } as unknown as ClientDirectory,
      onChange: async (listener: typeof emitChange) => {
        emitChange = listener
        return async () => void (emitChange = () => {})
      },
    }
    const note = (what: string) => async (given: string | { id: string }) => {
      seen.push(`${what} ${typeof given === 'string' ? given : given.id}`)
      if (failing) {
        throw new Error('not now')
      }
    }
    const reactions = {
      realmDeleted: note('realm'),
      userDeleted: note('user'),
      clientEnded: note('client'),
    }
    const stop = await reactToChanges(source, reactions, {
      error: (details: unknown) => void errors.push(details),
    } as never)
    return { seen, errors, stop, tell: (given: ProviderChange) => emitChange(given) }
  }

  test('reactions run for deleted realms, users and clients only', async ({ assert }) => {
    const { seen, tell: emitChange, stop } = await set()
    for (const type of ['realm', 'user', 'client']) {
      for (const event of ['created', 'deleted']) {
        emitChange(change(type, event, event))
      }
    }
    emitChange(change('realm', 'updated', 'updated'))
    emitChange(change('user', 'updated', 'updated'))
    await new Promise((resolve) => setImmediate(resolve))
    assert.sameMembers(seen, ['realm deleted', 'user deleted', 'client deleted'])
    await stop()
    emitChange(change('realm', 'deleted'))
    assert.lengthOf(seen, 3)
  })

  test('reactions remove nothing of a user who still exists', async ({ assert }) => {
    const { seen, tell: emitChange } = await set(false, 'alive')
    await withManualTimers(async (pass) => {
      emitChange(change('realm', 'deleted', 'alive'))
      emitChange(change('user', 'deleted', 'alive'))
      emitChange(change('user', 'deleted', 'gone'))
      await pass(1_200)
    })
    assert.deepEqual(seen, ['user gone'])
  })

  test('reactions run for deactivated clients, and not for other changes', async ({ assert }) => {
    const { seen, tell: emitChange } = await set(false, 'active')
    await withManualTimers(async (pass) => {
      emitChange(change('client', 'updated', 'active'))
      emitChange(change('client', 'updated', 'inactive'))
      await pass(1_200)
    })
    assert.deepEqual(seen, ['client inactive'])
  })

  test('a failing reaction is logged and does not affect others', async ({ assert }) => {
    const { seen, errors, tell: emitChange } = await set(true)
    emitChange(change('realm', 'deleted', 'one'))
    emitChange(change('realm', 'deleted', 'two'))
    await new Promise((resolve) => setImmediate(resolve))
    assert.lengthOf(seen, 2)
    assert.containsSubset(errors, [{ type: 'realm', event: 'deleted', id: 'one' }, { id: 'two' }])
  })
})

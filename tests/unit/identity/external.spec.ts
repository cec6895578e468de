import { test } from '@japa/runner'

import { IdentityUnavailable } from '#kernel/failures'
import { ensurePermissions } from '#auth/client_permissions'
import { RemoteProvider } from '#auth/external/remote_provider'
import { overrideClock } from '#kernel/clock'

import { StandInProvider, SYSTEM } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider, settingsFor } from './subjects.js'

let standIn: StandInProvider

const setUp = async () => {
  standIn = await StandInProvider.start()
  return () => standIn.goAway()
}

test.group('External provider | its own token', (group) => {
  group.each.setup(setUp)

  test('the token of the platform is requested once for all calls, with the configured realm', async ({
    assert,
  }) => {
    const { clients, people } = externalProvider(standIn)
    await Promise.all([clients.permission('log_read'), people.realmIds(), clients.read('x')])
    assert.equal(standIn.count('/token'), 1)
    const request = standIn.seen.find(({ path }) => path === '/token')!
    assert.deepEqual(request.body, {
      grant_type: 'client_credentials',
      client_id: SYSTEM.clientId,
      client_secret: SYSTEM.clientSecret,
      realm_id: 'master',
    })
  })

  test('the token of the platform is renewed a minute before it ends', async ({
    assert,
    cleanup,
  }) => {
    let now = Date.now()
    cleanup(overrideClock({ now: () => now }))
    const provider = externalProvider(standIn)
    const first = await provider.ownToken()
    now += (standIn.lifetimeSeconds - 61) * 1000
    assert.equal(await provider.ownToken(), first)
    now += 2000
    assert.notEqual(await provider.ownToken(), first)
  })

  test('a rejected token of the platform is replaced once, and the call repeated', async ({
    assert,
  }) => {
    const { clients } = externalProvider(standIn)
    await clients.permission('log_read')
    standIn.revoke(standIn.seen.at(-1)!.authorization!.slice('Bearer '.length))
    assert.equal((await clients.permission('log_create'))?.name, 'log_create')
    assert.equal(standIn.count('/token'), 2)
  })

  test('a second rejection is a failure of the provider, not of the caller', async ({ assert }) => {
    standIn.fail((request, answer) =>
      request.url!.startsWith('/permissions') ? { status: 401, body: '' } : answer()
    )
    const { clients } = externalProvider(standIn)
    const failure = await clients.permission('log_read').catch((error) => error)
    assert.instanceOf(failure, IdentityUnavailable)
    assert.equal(standIn.count('/permissions/log_read'), 2)
    assert.match(failure.cause.message, /401; check CLIENT_ID/)
  })
})

test.group('External provider | introspection', (group) => {
  group.each.setup(setUp)

  const introspection = () => standIn.seen.find(({ path }) => path === '/token/introspect')!

  test('an introspection never carries a bearer of ours', async ({ assert }) => {
    const provider = externalProvider(standIn)
    await provider.ownToken()
    await provider.introspect(standIn.mint())
    const { authorization, body } = introspection()
    assert.isUndefined(authorization)
    assert.sameMembers(Object.keys(body), ['token'])
  })

  test('authenticates if configured, in the encoding of OAuth', async ({ assert }) => {
    await externalProvider(standIn, { introspectionAuth: 'basic' }).introspect(standIn.mint())
    const [scheme, pair] = introspection().authorization!.split(' ')
    assert.equal(scheme, 'Basic')
    assert.equal(Buffer.from(pair!, 'base64').toString(), 'system:a+secret%3A+with+%25+and+%2B')
  })
})

test.group('External provider | rate limits', (group) => {
  group.each.setup(setUp)

  test('requests are retried after the time that the provider names', async ({ assert }) => {
    const provider = externalProvider(standIn)
    await provider.ownToken()
    let refusals = 0
    standIn.fail((_request, answer) =>
      refusals++ < 2 ? { status: 429, body: { statusCode: 429 }, retryAfter: 0 } : answer()
    )
    const created = await provider.clients.create({ name: 'waited', realmId: standIn.ann.realmId })
    assert.equal(created.name, 'waited')
    assert.equal(refusals, 3)
    assert.lengthOf(
      standIn.seen.filter(({ method, path }) => method === 'POST' && path === '/clients'),
      3
    )
  })
})

const FAILURES = {
  'a page for people': { status: 200, body: '<html>Welcome</html>', type: 'text/html' },
  'an error of its own': { status: 500, body: { message: 'oh no' } },
  'a proxy that has lost it': { status: 502, body: '<html>Bad Gateway</html>', type: 'text/html' },
  'a refusal': { status: 403, body: { statusCode: 403 } },
  'too much to do for long': { status: 429, body: { statusCode: 429 }, retryAfter: 60 },
  'JSON that breaks off': { status: 200, body: '{"active":tr' },
  'a way to somewhere else': { status: 302, body: '' },
}

test.group('External provider | one that answers with', (group) => {
  group.each.setup(setUp)

  test('{0} is unavailable, for every call')
    .with(Object.entries(FAILURES))
    .run(async ({ assert }, [, failure]) => {
      const provider = externalProvider(standIn)
      const token = standIn.mint()
      await provider.ownToken()
      standIn.fail(() => failure)
      const calls = [
        provider.introspect(token),
        provider.metadata(),
        provider.clients.read('x'),
        provider.clients.create({ name: 'x', realmId: 'y' }),
        provider.clients.remove('x'),
        provider.clients.permissionsOf('x'),
        provider.people.realmIds(),
        externalProvider(standIn).ownToken(),
      ]
      for (const outcome of await Promise.allSettled(calls)) {
        const reason = (outcome as PromiseRejectedResult).reason
        assert.instanceOf(reason, IdentityUnavailable)
        assert.equal(reason.status, 503)
        assert.equal(reason.code, 'identity_unavailable')
      }
    })

  test('malformed records is unavailable', async ({ assert }) => {
    const { clients, people } = externalProvider(standIn)
    await clients.read('x')
    standIn.fail(() => ({ status: 200, body: { data: { name: 'no id' } } }))
    await assert.rejects(() => clients.read('x'), IdentityUnavailable)
    await assert.rejects(() => people.realmIds(), IdentityUnavailable)
  })

  test('a failure is logged without secrets', async ({ assert }) => {
    standIn.fail(() => ({ status: 500, body: '' }))
    const provider = externalProvider(standIn, { introspectionAuth: 'basic' })
    const token = standIn.mint()
    for (const call of [provider.introspect(token), provider.ownToken()]) {
      const failure = await call.catch((error) => error)
      assert.match(failure.cause.message, /^POST http:.+ failed: it answered with the status 500$/)
      const text = `${failure.message} ${failure.cause.stack} ${JSON.stringify(failure)}`
      assert.notInclude(text, token)
      assert.notInclude(text, SYSTEM.clientSecret)
    }
  })
})

test.group('External provider | directories', (group) => {
  group.each.setup(setUp)

  test('a permission is looked up once a minute', async ({ assert, cleanup }) => {
    const { clients } = externalProvider(standIn)
    const give = async (name: string) => {
      const { id } = await clients.create({ name, realmId: standIn.ann.realmId as string })
      await ensurePermissions(clients, id, { names: ['log_read'] })
      const grants = await clients.permissionsOf(id)
      assert.deepEqual(
        grants.map(({ permission }) => permission.name),
        ['log_read']
      )
    }
    for (const name of ['one', 'two', 'three']) {
      await give(name)
    }
    const lookUps = () => standIn.seen.filter(({ path }) => path.startsWith('/permissions/')).length
    assert.equal(lookUps(), 1)
    cleanup(overrideClock({ now: () => Date.now() + 61_000 }))
    await give('four')
    assert.equal(lookUps(), 2)
  })

  test('an unknown filter does not return other records', async ({ assert }) => {
    const { clients } = externalProvider(standIn)
    const [system] = standIn.records.table('clients')
    standIn.fail((request, answer) => {
      request.url = request.url!.replace(/filter%5B\w+%5D/g, 'unheard')
      return request.url.startsWith('/clients')
        ? { status: 200, body: { data: [system], meta: { total: 1 } } }
        : answer()
    })
    assert.isUndefined(await clients.findByName('somebody-else'))
    assert.equal((await clients.findByName(SYSTEM.clientId))?.id, system!.id)
  })

  test('a client of the same name in another realm is ignored', async ({ assert }) => {
    const { clients } = externalProvider(standIn)
    const [master, siteA] = [standIn.realms.master.id, standIn.realms.siteA.id]
    const one = await clients.create({ name: 'same', realmId: master })
    const other = await clients.create({ name: 'same', realmId: siteA })
    assert.notEqual(one.id, other.id)
    assert.equal((await clients.create({ name: 'same', realmId: siteA })).id, other.id)
  })

  test('all pages of a list are read', async ({ assert }) => {
    const ids = Array.from({ length: 120 }, (_, n) => standIn.records.add('users', { n }).id)
    const users = await externalProvider(standIn).people.users()
    assert.equal(users.size, 121)
    assert.isTrue(ids.every((id) => users.has(id)))
  })

  test('a list that changes while it is read is read again', async ({ assert }) => {
    Array.from({ length: 120 }, (_, n) => standIn.records.add('users', { n }))
    const { people } = externalProvider(standIn)
    let changes = 1
    standIn.fail((request, answer) => {
      if (request.url!.includes('offset%5D=49') && changes-- > 0) {
        standIn.records.table('users').shift()
      }
      return answer()
    })
    assert.equal((await people.users()).size, 120)
    changes = 100
    await assert.rejects(() => people.users(), IdentityUnavailable)
  })
})

test.group('Remote provider', (group) => {
  group.each.setup(setUp)

  test('a provider with a records API is detected', async ({ assert, cleanup }) => {
    const provider = new RemoteProvider(settingsFor(standIn))
    cleanup(() => provider.close())
    await provider.metadata()
    assert.isDefined(provider.clients)
    assert.isDefined(provider.people)
  })

  test('a provider is plain OpenID Connect if its clients are {0}')
    .with(
      Object.entries({
        'not there': { status: 404, body: 'Not Found', type: 'text/plain' },
        'a page for people': { status: 200, body: '<html></html>', type: 'text/html' },
        'somewhere else': { status: 302, body: '' },
      })
    )
    .run(async ({ assert, cleanup }, [, reply]) => {
      standIn.fail((request, answer) => (request.url === '/clients' ? reply : answer()))
      const provider = new RemoteProvider(settingsFor(standIn))
      cleanup(() => provider.close())
      assert.equal((await provider.introspect(standIn.mint()))?.sub, standIn.ann.id)
      assert.isUndefined(provider.clients)
    })

  test('the provider may come up later than the platform', async ({ assert, cleanup }) => {
    await standIn.goAway()
    const provider = new RemoteProvider(settingsFor(standIn))
    cleanup(() => provider.close())
    await assert.rejects(() => provider.introspect('x'), IdentityUnavailable)
    assert.isUndefined(provider.clients)
    await standIn.listen()
    assert.equal((await provider.introspect(standIn.mint()))?.sub, standIn.ann.id)
    assert.isDefined(provider.clients)
  })

  test('closing does not wait for an unavailable provider', async ({ assert }) => {
    await standIn.goAway()
    const provider = new RemoteProvider(settingsFor(standIn))
    const stop = await provider.onChange(() => {})
    await stop()
    await provider.close()
    await standIn.listen()
    assert.equal(standIn.count('/clients'), 0)
  })
})

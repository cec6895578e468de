import { mock } from 'node:test'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import type { SecurityEvent } from '#audit/security_event'
import { RateLimiter } from '#http/rate_limiter'
import { seedIdentity } from '#identity/embedded/seeds'
import type { Actor } from '#kernel/actor'
import { ConsoleVisitor, consolePath } from '#tests/helpers/console/console_visitor'
import { authorizeAt } from '#tests/helpers/console/authorize_at'
import { useSecuritySink } from '#tests/helpers/container'
import { ADMIN, believeProvider } from '#tests/functional/identity/provider'

test.group('Sign-in to the console', (group) => {
  group.setup(seedIdentity)
  group.setup(() => believeProvider())

  test('a page leads to the provider, and back to the page', async ({ assert }) => {
    const visitor = new ConsoleVisitor()
    const refused = await visitor.open('/nodes?sort=name')
    assert.equal(refused.status, 303)
    assert.match(refused.location!, /\/sign-in\?to=/)
    const start = await visitor.follow(refused)
    const target = new URL(start.location!)
    assert.equal(target.searchParams.get('client_id'), 'admin-console')
    assert.equal(target.searchParams.get('code_challenge_method'), 'S256')
    const back = await authorizeAt(start.location!, ADMIN)
    const finished = await visitor.open(consolePath(back))
    assert.equal(finished.status, 303)
    assert.match(finished.location!, /\/nodes\?sort=name$/)
    const page = await visitor.follow(finished)
    assert.equal(page.status, 200)
    assert.include(page.title, 'Nodes')
  })

  test('the sign-in is refused with the state of another browser', async ({ assert }) => {
    const attacker = new ConsoleVisitor()
    const start = await attacker.open('/sign-in')
    const back = await authorizeAt(start.location!, ADMIN)
    const victim = new ConsoleVisitor()
    await victim.open('/sign-in')
    const page = await victim.open(consolePath(back))
    assert.equal(page.status, 400)
    assert.isFalse(victim.cookies.has('hub_console'))
    assert.include(page.text, 'was not started in this browser')
  })

  test('a code is used once', async ({ assert }) => {
    const { visitor, back } = await ConsoleVisitor.signedIn(ADMIN)
    const page = await visitor.open(consolePath(back))
    assert.equal(page.status, 400)
  })

  test('the sign-in leads nowhere but to pages of the console', async ({ assert }) => {
    for (const to of [
      'https://evil.test/',
      '//evil.test',
      '/\\evil.test',
      '/\t/evil.test',
      '/.//evil.test',
    ]) {
      const visitor = new ConsoleVisitor()
      const start = await visitor.open(`/sign-in?to=${encodeURIComponent(to)}`)
      const back = await authorizeAt(start.location!, ADMIN)
      const { location } = await visitor.open(consolePath(back))
      assert.equal(consolePath(location!), '/', to)
      assert.notInclude(location!, 'evil')
    }
  })

  test('two tabs may sign in at the same time', async ({ assert }) => {
    const visitor = new ConsoleVisitor()
    const first = await visitor.open('/sign-in')
    const second = await visitor.open('/sign-in')
    for (const { location } of [first, second]) {
      const finished = await visitor.open(consolePath(await authorizeAt(location!, ADMIN)))
      assert.equal(finished.status, 303)
    }
  })

  test('a sign-in that was started comes back once, also with the cookies from before', async ({
    assert,
  }) => {
    const visitor = new ConsoleVisitor()
    const { location } = await visitor.open('/sign-in')
    const cookies = new Map(visitor.cookies)
    const state = new URL(location!).searchParams.get('state')
    const wrong = await visitor.open(`/callback?state=${state}&code=wrong`)
    assert.include(wrong.text, 'issued no tokens')
    const back = await authorizeAt(location!, ADMIN)
    cookies.forEach((value, name) => visitor.cookies.set(name, value))
    const again = await visitor.open(consolePath(back))
    assert.equal(again.status, 400)
    assert.include(again.text, 'was used before')
    assert.isFalse(visitor.cookies.has('hub_console'))
  })

  test('the provider learns the address of the browser, not of the console', async ({
    assert,
    cleanup,
  }) => {
    const events: SecurityEvent[] = []
    cleanup(useSecuritySink({ record: async (event) => void events.push(event) }))
    const { visitor, back } = await ConsoleVisitor.signedIn(ADMIN)
    const code = new URL(back).searchParams.get('code')
    const { location } = await visitor.open('/sign-in')
    const state = new URL(location!).searchParams.get('state')
    const forwarded = { 'x-forwarded-for': '192.0.2.44' }
    const page = await visitor.open(`/callback?state=${state}&code=${code}`, forwarded)
    assert.equal(page.status, 400)
    const reused = events.find(({ type }) => type === 'authorizationCodeReused')
    assert.equal(reused?.origin.address, '192.0.2.44')
  })

  test('a caller over the limit of an address gets an error at once', async ({
    assert,
    cleanup,
  }) => {
    const strict = new RateLimiter({ anonymous: 2, user: 0, client: 0 })
    const limiter = await app.container.make(RateLimiter)
    const mocked = [
      mock.method(limiter, 'applies', (actor?: Actor) => strict.applies(actor)),
      mock.method(limiter, 'count', (...caller: Parameters<RateLimiter['count']>) =>
        strict.count(...caller)
      ),
    ]
    cleanup(() => mocked.forEach(({ mock: replaced }) => replaced.restore()))
    const headers = { 'x-forwarded-for': '192.0.2.45' }
    const visitor = new ConsoleVisitor()
    const { location } = await visitor.open('/sign-in', headers)
    const state = new URL(location!).searchParams.get('state')
    const page = await visitor.open(`/callback?state=${state}&code=any`, headers)
    assert.equal(page.status, 429)
    assert.match(page.headers.get('retry-after')!, /^\d+$/)
    assert.include(page.text, 'from your address')
    assert.equal((await new ConsoleVisitor().open('/sign-in')).status, 303)
  })
})

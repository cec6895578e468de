import { test } from '@japa/runner'

import { seedIdentity } from '#identity/embedded/seeds'
import { ConsoleVisitor, consolePath } from '#tests/helpers/console/console_visitor'
import { authorizeAt } from '#tests/helpers/console/authorize_at'
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

  test('is refused with the state of another browser', async ({ assert }) => {
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

  test('leads nowhere but to pages of the console', async ({ assert }) => {
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
})

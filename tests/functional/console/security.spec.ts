import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { providerUrl } from '#identity/embedded/addresses'
import { seedIdentity } from '#identity/embedded/seeds'
import { clock } from '#kernel/clock'
import { consolePath, ConsoleVisitor } from '#tests/helpers/console/console_visitor'
import { member, newRealm } from '#tests/functional/core/node_scene'
import { Visitor } from '#tests/functional/identity/browsing'
import { sampleRecord } from '#tests/helpers/sample_records'
import { node } from '#core/nodes/node'
import {
  ADMIN,
  believeProvider,
  introspect,
  makeUser,
  PASSWORD,
  post,
  refresh,
} from '#tests/functional/identity/provider'

const SCRIPT = '<img src=x onerror=alert(1)>'

/** The tags without the values of their attributes, which may be names of records. */
const withoutValues = (page: string) => page.replaceAll(/"[^"]*"/g, '""')

test.group('Pages of the console', () => {
  test('load nothing from elsewhere, run nothing in their text, and are neither framed nor stored', async ({
    assert,
  }) => {
    const page = await ConsoleVisitor.as().open('/nodes')
    const policy = page.headers.get('content-security-policy')!
    assert.include(policy, "default-src 'self'")
    assert.include(policy, "frame-ancestors 'none'")
    assert.notInclude(policy, 'unsafe')
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.include(page.headers.get('cache-control'), 'no-store')
    assert.notMatch(withoutValues(page.text), /<[^>]*\s(style|on\w+)=/)
    assert.notMatch(page.text, /<script(?![^>]* src="\/)/)
    assert.notMatch(page.text, /(src|href)="(https?:)?\/\//)
  })

  test('tokens are in no page', async ({ assert }) => {
    const visitor = ConsoleVisitor.as()
    const page = await visitor.open('/')
    assert.notInclude(page.text, visitor.session.accessToken)
    assert.notInclude(page.text, visitor.session.formSecret)
  })

  test('files are compressed, and cached by browsers', async ({ assert }) => {
    const visitor = ConsoleVisitor.as()
    const { text } = await visitor.open('/')
    const files = [...text.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path)
    assert.isAtLeast(new Set(files).size, 3)
    for (const path of new Set(files)) {
      const file = await visitor.open(path, { 'accept-encoding': 'br' })
      assert.equal(file.status, 200)
      assert.equal(file.headers.get('content-encoding'), 'br')
      assert.include(file.headers.get('cache-control'), 'immutable')
    }
    assert.equal((await visitor.open('/assets/console-000000000000.css')).status, 404)
  })

  test('the first visit takes less than 80 KiB', async ({ assert }) => {
    const visitor = ConsoleVisitor.as()
    const { text } = await visitor.open('/')
    const files = [...new Set([...text.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path))]
    const sizes = await Promise.all(
      files.map(async (path) => {
        const { headers } = await visitor.open(path, { 'accept-encoding': 'gzip' })
        return Number(headers.get('content-length'))
      })
    )
    const total = sizes.reduce((sum, size) => sum + size, text.length)
    assert.isBelow(total, 80 * 1024)
  })

  test('names are text wherever they stand', async ({ assert }) => {
    const realmId = await newRealm()
    const { id } = await sampleRecord('core', node, { realmId, name: SCRIPT })
    const visitor = ConsoleVisitor.as({ realmId, realmName: 'site', name: SCRIPT })
    for (const path of [`/nodes/${id}`, `/nodes?name=${encodeURIComponent(SCRIPT)}`]) {
      const { text, status } = await visitor.open(path)
      assert.equal(status, 200)
      assert.notInclude(text, SCRIPT)
      assert.include(text, '&lt;img src')
    }
  })
})

test.group('Forms of the console', (group) => {
  let visitor: ConsoleVisitor
  let path: string
  let name: string

  group.each.setup(async () => {
    const realmId = await newRealm()
    name = `n-${clock.uuid().slice(0, 8)}`
    const { id } = await sampleRecord('core', node, { realmId, name })
    path = `/nodes/${id}/secret`
    const { token } = member(realmId, ['node_update'])
    visitor = new ConsoleVisitor()
    visitor.become({ accessToken: token })
  })

  test('forms are refused without a token, and with one of another session', async ({ assert }) => {
    const other = ConsoleVisitor.as()
    const { text } = await other.open('/')
    const foreign = /name="_token" value="([^"]+)"/.exec(text)![1]!
    const forgeries: Record<string, string>[] = [
      {},
      { _token: '' },
      { _token: 'a.b' },
      { _token: foreign },
    ]
    for (const fields of forgeries) {
      const page = await visitor.forge(path, { confirm: name, ...fields })
      assert.equal(page.status, 403)
      assert.include(page.text, 'The form was refused')
    }
  })

  test('forms are refused from other sites, even with a token', async ({ assert }) => {
    const page = await visitor.open(path.replace('/secret', ''))
    for (const site of ['cross-site', 'same-site', 'none']) {
      const fields = { confirm: name }
      const refused = await visitor.submit(page, path, fields, { 'sec-fetch-site': site })
      assert.equal(refused.status, 403, site)
    }
  })

  test('without a session they change nothing, and lead to the sign-in', async ({ assert }) => {
    const page = await new ConsoleVisitor().forge(path, { confirm: name })
    assert.equal(page.status, 401)
    assert.include(page.text, 'Your session has ended')
  })
})

test.group('Sessions of the console', (group) => {
  group.setup(seedIdentity)
  group.setup(() => believeProvider())

  test('sessions are in a sealed cookie that scripts cannot read', async ({ assert }) => {
    const { visitor, finished } = await ConsoleVisitor.signedIn(ADMIN)
    const set = finished.headers.getSetCookie().find((one) => one.startsWith('hub_console='))!
    assert.match(set, /HttpOnly/i)
    assert.match(set, /SameSite=Lax/i)
    assert.match(set, /Path=\/admin/i)
    const { accessToken } = visitor.session
    assert.notInclude(set, accessToken)
    assert.equal((await introspect(accessToken)).active, true)
  })

  test('a changed cookie is not a session', async ({ assert }) => {
    const { visitor } = await ConsoleVisitor.signedIn(ADMIN)
    const sealed = visitor.cookies.get('hub_console')!
    visitor.cookies.set('hub_console', sealed.slice(0, -4) + 'AAAA')
    assert.equal((await visitor.open('/')).status, 303)
  })

  test('an expired token is renewed once, though two tabs need it at the same time', async ({
    assert,
  }) => {
    const { visitor } = await ConsoleVisitor.signedIn(ADMIN)
    const former = visitor.session
    visitor.become({ ...former, expiresAt: clock.now() - 1 })
    const tab = new ConsoleVisitor()
    visitor.cookies.forEach((value, key) => tab.cookies.set(key, value))
    const pages = await Promise.all([visitor.open('/nodes'), tab.open('/nodes')])
    assert.deepEqual(
      pages.map(({ status }) => status),
      [200, 200]
    )
    assert.notEqual(visitor.session.refreshToken, former.refreshToken)
    assert.equal(visitor.session.refreshToken, tab.session.refreshToken)
    const late = new ConsoleVisitor()
    late.become({ ...former, expiresAt: clock.now() - 1 })
    assert.equal((await late.open('/nodes')).status, 200, 'A tab with the former cookie')
  })

  test('large ones are split into several cookies', async ({ assert }) => {
    const { visitor } = await ConsoleVisitor.signedIn(ADMIN)
    const session = visitor.session
    visitor.become({ ...session, formSecret: 'x'.repeat(4_500), expiresAt: clock.now() - 1 })
    const page = await visitor.open('/nodes')
    assert.equal(page.status, 200)
    const cookies = page.headers.getSetCookie()
    assert.isAbove(cookies.length, 1)
    cookies.forEach((set) => assert.isBelow(set.length, 4_096))
    assert.equal((await visitor.open('/nodes')).status, 200)
  })

  test('sessions end when they are revoked at the provider', async ({ assert }) => {
    const user = await makeUser()
    const { visitor } = await ConsoleVisitor.signedIn({ username: user.name, password: PASSWORD })
    assert.equal((await visitor.open('/nodes')).status, 200)
    const { refreshToken } = visitor.session
    assert.equal((await post('/token/revoke', { token: refreshToken! })).status, 200)
    const page = await visitor.open('/nodes')
    assert.equal(page.status, 303)
    assert.match(page.location!, /\/sign-in/)
    assert.isFalse(visitor.cookies.has('hub_console'))
  })

  test('signing out ends them at the provider, and the login of the browser there', async ({
    assert,
  }) => {
    const { visitor } = await ConsoleVisitor.signedIn(ADMIN)
    const { refreshToken, accessToken } = visitor.session
    const page = await visitor.open('/')
    const out = await visitor.submit(page, '/sign-out')
    assert.isFalse(visitor.cookies.has('hub_console'))
    assert.isFalse(visitor.cookies.has('hub_console_user'))
    assert.equal((await introspect(accessToken)).active, false)
    assert.equal((await refresh(refreshToken!)).status, 400)
    const [, address] = /^0; url=(.*)$/.exec(out.headers.get('refresh')!)!
    const target = new URL(address!)
    assert.equal(target.origin + target.pathname, `${providerUrl()}/logout`)
    assert.equal(decodeJwt(target.searchParams.get('id_token_hint')!).preferred_username, 'admin')
    const back = await new Visitor().open('/logout', [...target.searchParams])
    assert.equal(back.status, 303)
    assert.include(
      (await visitor.open(consolePath(back.location!.href))).text,
      'You are signed out'
    )
  })
})

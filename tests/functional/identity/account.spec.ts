import { test } from '@japa/runner'

import { seedIdentity } from '#identity/embedded/seeds'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { authorizationQuery, hiddenFields, logIn, newVerifier, Visitor } from './browsing.js'
import {
  byPassword,
  introspect,
  make,
  makeClient,
  makeUser,
  PASSWORD,
  refresh,
  token,
} from './provider.js'
import { identityPool } from '#identity/embedded/database'

const NEW_PASSWORD = 'battery staple horse'
const CALLBACK = 'https://app.test/callback'

/** A user whose browser is signed in. */
async function signedIn({ mayChange = true } = {}) {
  const user = await makeUser({ displayName: 'Grace' })
  if (mayChange) {
    const text = `select id from permissions where name = 'user_self_manage'`
    const { rows } = await identityPool().query(text)
    await make('userPermission', { userId: user.id, permissionId: rows[0].id })
  }
  return { user, browser: await browserOf(user.name) }
}

async function browserOf(username: string) {
  const visitor = new Visitor()
  const client = await makeClient({ redirectUri: CALLBACK })
  const query = authorizationQuery(
    { id: client.id, redirectUri: CALLBACK },
    newVerifier().challenge
  )
  await logIn(visitor, query, { username, password: PASSWORD, realm: 'master' })
  return visitor
}

async function visit(
  { cookie }: Visitor,
  fields?: Record<string, string>,
  query: Record<string, string> = {}
) {
  const response = await fetch(at('identity', `/account/?${new URLSearchParams(query)}`), {
    headers: cookie ? { cookie: `hub_login=${cookie}` } : {},
    redirect: 'manual',
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })
  const text = await response.text()
  const set = /^hub_login=([^;]*)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
  return {
    ...{ status: response.status, text, headers: response.headers, set },
    location: response.headers.get('location') ?? '',
    proof: hiddenFields(text).form ?? '',
  }
}

/** Sends the form of the page as the user would. */
async function change(browser: Visitor, fields: Record<string, string>) {
  const { proof } = await visit(browser)
  const answer = await visit(browser, { form: proof, ...fields })
  browser.cookie = answer.set ?? browser.cookie
  return answer
}

const userOf = async (id: string) => {
  const text = 'select display_name as "displayName", email from users where id = $1'
  return (await identityPool().query(text, [id])).rows[0]
}

test.group('Account page', (group) => {
  group.setup(seedIdentity)

  test('the page redirects a user who is not signed in to the login', async ({ assert }) => {
    const { status, location } = await visit(new Visitor())
    assert.equal(status, 303)
    const { pathname, searchParams } = new URL(location, 'http://localhost')
    assert.equal(pathname, '/auth/authorize')
    const page = await new Visitor().get(Object.fromEntries(searchParams))
    assert.equal(page.status, 200)
    assert.include(page.text, '<strong>Account</strong>')
    assert.equal((await visit(new Visitor(), { action: 'sign_out' })).status, 303)
  })

  test('the page changes and clears the display name and the mail address', async ({ assert }) => {
    const { user, browser } = await signedIn()
    const profile = { action: 'profile', display_name: 'Grace Hopper', email: 'grace@navy.test' }
    const { status, location } = await change(browser, profile)
    assert.equal(status, 303)
    assert.equal(location, '/auth/account/?done=profile')
    assert.deepEqual(await userOf(user.id), {
      displayName: 'Grace Hopper',
      email: 'grace@navy.test',
    })
    await change(browser, { ...profile, display_name: '', email: '' })
    assert.deepEqual(await userOf(user.id), { displayName: null, email: null })
  })

  test('the page shows what is wrong, and keeps the input', async ({ assert }) => {
    const { browser } = await signedIn()
    const wrong = { action: 'profile', display_name: '<b>Grace', email: 'no address' }
    const { status, text } = await change(browser, wrong)
    assert.equal(status, 400)
    assert.match(text, /role="alert"/)
    assert.include(text, '&#60;b&#62;Grace')
    assert.notInclude(text, '<b>Grace')
  })

  test('the page changes the password of a user who knows the current one, and ends all other sessions', async ({
    assert,
  }) => {
    const { user, browser } = await signedIn()
    const other = await browserOf(user.name)
    const login = { username: user.name, password: PASSWORD }
    const { body } = await byPassword(login)
    const fields = { action: 'password', password: NEW_PASSWORD, repeated: NEW_PASSWORD }
    const guessed = await change(browser, { ...fields, current: 'wrong password' })
    assert.equal(guessed.status, 400)
    assert.include(guessed.text, 'current password is not right')
    const unlike = await change(browser, { ...fields, current: PASSWORD, repeated: 'x' })
    assert.equal(unlike.status, 400)
    const before = browser.cookie
    const { status } = await change(browser, { ...fields, current: PASSWORD })
    assert.equal(status, 303)
    assert.notEqual(browser.cookie, before)
    assert.equal((await visit(browser)).status, 200)
    assert.equal((await visit(other)).status, 303)
    assert.isFalse((await introspect(body.access_token)).active)
    assert.equal((await byPassword(login)).status, 400)
    assert.equal((await byPassword({ ...login, password: NEW_PASSWORD })).status, 200)
  })

  test('the page counts wrong passwords like every sign-in', async ({ assert }) => {
    const { browser } = await signedIn()
    const fields = { action: 'password', password: NEW_PASSWORD, repeated: NEW_PASSWORD }
    const statuses: number[] = []
    for (let attempt = 0; attempt < 11; attempt++) {
      const answer = await change(browser, { ...fields, current: `wrong password ${attempt}` })
      statuses.push(answer.status)
    }
    assert.equal(statuses.at(-1), 429)
  })

  test('the page shows no forms to users who may not change themselves', async ({ assert }) => {
    const { user, browser } = await signedIn({ mayChange: false })
    const { text } = await visit(browser)
    assert.notInclude(text, 'name="display_name"')
    assert.notInclude(text, 'type="password"')
    assert.equal((await change(browser, { action: 'profile', display_name: 'X' })).status, 403)
    assert.equal((await userOf(user.id)).displayName, 'Grace')
  })

  test('the page lists the sessions of the user, and ends them', async ({ assert }) => {
    const { user, browser } = await signedIn()
    const client = await makeClient({ displayName: 'Workbench' })
    const login = { username: user.name, password: PASSWORD, client_id: client.id }
    const [first, second] = [await byPassword(login), await byPassword(login)]
    const { text } = await visit(browser)
    assert.lengthOf(text.match(/<strong>Workbench<\/strong>/g)!, 2)
    const { sid } = JSON.parse(atob(first.body.access_token.split('.')[1]))
    await change(browser, { action: 'end', session: sid })
    assert.isFalse((await introspect(first.body.access_token)).active)
    assert.isTrue((await introspect(second.body.access_token)).active)
    const other = await browserOf(user.name)
    await change(browser, { action: 'end_others' })
    assert.equal((await refresh(second.body.refresh_token)).status, 400)
    assert.equal((await visit(other)).status, 303)
    assert.equal((await visit(browser)).status, 200)
  })

  test('the page shows the browser and address of each session', async ({ assert }) => {
    const { user, browser } = await signedIn()
    const client = await makeClient({ displayName: 'Workbench' })
    const login = { username: user.name, password: PASSWORD, client_id: client.id }
    const userAgent =
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 <script>'
    await token({ grant_type: 'password', ...login }, { 'user-agent': userAgent })
    const { text } = await visit(browser)
    assert.match(
      text,
      /<strong>Workbench<\/strong> with Firefox on Linux from (127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)/
    )
    assert.match(text, /<button name="action" value="end"/)
    assert.notInclude(text, '<script>')
  })

  test('the page leads back to the web interface that ref names, through a login too', async ({
    assert,
  }) => {
    const ref = 'http://localhost:4711/home?tab=1'
    const query = await visit(new Visitor(), undefined, { ref })
    const login = new URL(query.location, 'http://localhost').searchParams
    const returned = new URL(login.get('redirect_uri')!)
    assert.equal(returned.searchParams.get('ref'), ref)
    assert.equal((await new Visitor().get(Object.fromEntries(login))).status, 200)
    const { browser } = await signedIn()
    const { text } = await visit(browser, undefined, { ref })
    assert.include(text, `<a href="${ref}">Back to localhost:4711</a>`)
    const { location } = await visit(browser, undefined, { ref, code: 'x' })
    assert.equal(location, `/auth/account/?${new URLSearchParams({ ref })}`)
  })

  test('the page links back to no other address', async ({ assert }) => {
    const { browser } = await signedIn()
    for (const ref of ['https://evil.test/', 'javascript:alert(1)', '//evil.test', '"><script>']) {
      const { text, status } = await visit(browser, undefined, { ref })
      assert.equal(status, 200)
      assert.notInclude(text, 'Back to', ref)
      assert.notInclude(text, '<script>')
    }
  })

  test('the page ends nothing of another user, whatever is sent', async ({ assert }) => {
    const { browser } = await signedIn()
    const { user } = await signedIn()
    const { body } = await byPassword({ username: user.name, password: PASSWORD })
    const { sid } = JSON.parse(atob(body.access_token.split('.')[1]))
    for (const session of [sid, clock.uuid(), 'nonsense', '\u0000', '']) {
      const { status } = await change(browser, { action: 'end', session })
      assert.include([303, 400], status, session)
    }
    await change(browser, { action: 'end_others' })
    assert.isTrue((await introspect(body.access_token)).active)
  })

  test('the page is changed by no form of another site, and framed by none', async ({ assert }) => {
    const { user, browser } = await signedIn()
    const { browser: foreign } = await signedIn()
    const { proof } = await visit(foreign)
    for (const form of ['', 'made up', proof]) {
      const fields = { form, action: 'profile', display_name: 'Mallory' }
      assert.equal((await visit(browser, fields)).status, 400)
    }
    assert.equal((await userOf(user.id)).displayName, 'Grace')
    const { headers } = await visit(browser)
    assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/)
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('the page signs the browser out', async ({ assert }) => {
    const { browser } = await signedIn()
    const cookie = browser.cookie
    assert.equal((await change(browser, { action: 'sign_out' })).status, 303)
    browser.cookie = cookie
    assert.equal((await visit(browser)).status, 303)
  })
})

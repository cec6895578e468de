import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'
import type { Assert } from '@japa/assert'
import { chromium, type Browser, type Page } from 'playwright-core'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { locateChromium } from '#tests/services/servers/chromium'
import { freePort } from '#tests/services/servers/free_port'
import { serveInterface } from '#tests/services/interface/interface_server'
import { realTime } from '#tests/helpers/real_time'

const PASSWORD = 'correct horse battery'
const MOVING_CLOCK = fileURLToPath(new URL('interface/moving_clock.mjs', import.meta.url))
const MINUTE_MS = 60_000

interface Answered {
  status: number
  body: any
}

interface Person {
  realm: string
  username: string
  password: string
  namespace: (realmId: string) => string
}

test.group('A web interface on another origin', (group) => {
  let hub: HubProcesses
  let address: string
  let browser: Browser
  let site: Awaited<ReturnType<typeof serveInterface>>
  const clock = join(tmpdir(), `hub-clock-${process.pid}`)
  let ahead = 0

  group.setup(async () => {
    const port = await freePort()
    await writeFile(clock, '0')
    hub = await HubProcesses.start('server', {
      variables: {
        PORT: String(port),
        NODE_OPTIONS: `--import=${MOVING_CLOCK}`,
        CLOCK_FILE: clock,
      },
    })
    address = `http://localhost:${port}`
    site = await serveInterface()
    browser = await chromium.launch(await locateChromium())
    return async () => {
      await browser.close()
      site.close()
      await hub.remove()
    }
  })

  const inPage = (page: Page, code: string) => page.evaluate<any>(code)

  async function signIn(page: Page, person: Person, assert: Assert): Promise<string> {
    await page.goto(`${site.origin}/?hub=${encodeURIComponent(address)}`)
    const realms: Answered = await inPage(page, 'ui.realms()')
    assert.equal(realms.status, 200)
    const { id } = realms.body.data.find(({ name }: { name: string }) => name === person.realm)
    await inPage(page, `void ui.signIn('${id}')`)
    await page.getByLabel('User name').fill(person.username)
    await page.getByLabel('Password').fill(person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${site.origin}/login/callback**`)
    const query = new URL(page.url()).searchParams
    assert.equal(query.get('redirect'), '/nodes')
    assert.equal(query.get('state'), 'some state')
    const tokens: Answered = await inPage(page, `ui.finish('${id}')`)
    assert.equal(tokens.status, 200, JSON.stringify(tokens.body))
    return id
  }

  async function requireReceived(page: Page, name: string, assert: Assert): Promise<void> {
    const made: Answered = await inPage(page, `ui.post('/core/projects', { name: '${name}' })`)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    await page.waitForFunction(`ui.heard.includes('${name}')`, undefined, { timeout: 10_000 })
  }

  async function passTime(minutes: number): Promise<void> {
    ahead += minutes * MINUTE_MS
    await writeFile(clock, String(ahead))
    await realTime(200, 'the program reads its clock from a file at intervals')
  }

  /** Everything that an interface does between a login and a logout. */
  async function goThrough(page: Page, person: Person, assert: Assert): Promise<void> {
    const realmId = await signIn(page, person, assert)
    const me: Answered = await inPage(page, `ui.get('/auth/users/@me')`)
    assert.equal(me.body.data.name, person.username)
    for (const path of [
      ...['/core/nodes', '/core/projects', '/storage/buckets', '/auth/roles', '/auth/scopes'],
      ...['/auth/client-scopes', '/auth/policies', '/auth/identity-providers', '/auth/clients'],
    ]) {
      assert.equal((await inPage(page, `ui.get('${path}')`)).status, 200, path)
    }
    assert.isNull(await inPage(page, `ui.listen('${person.namespace(realmId)}')`))
    await requireReceived(page, `first-of-${person.realm}`, assert)

    await passTime(16)
    assert.equal((await inPage(page, `ui.get('/auth/users/@me')`)).status, 401, 'the token ended')
    assert.equal((await inPage(page, 'ui.renew()')).status, 200)
    await requireReceived(page, `second-of-${person.realm}`, assert)
    assert.equal((await inPage(page, 'ui.renew()')).status, 200)
    assert.isUndefined(await inPage(page, 'ui.ended'), 'the socket outlives its token')

    await lookAfterAccount(page, person, assert)

    assert.equal((await inPage(page, 'ui.signOut()')).status, 200)
    await page.waitForFunction('ui.ended !== undefined', undefined, { timeout: 5_000 })
    assert.equal((await inPage(page, `ui.get('/auth/users/@me')`)).status, 401)
    assert.equal((await inPage(page, 'ui.renew()')).status, 400)
  }

  /** In a window of its own, as the icon of an interface opens it. */
  async function lookAfterAccount(page: Page, person: Person, assert: Assert): Promise<void> {
    const account = await page.context().newPage()
    await account.goto(`${address}/auth/account/`)
    assert.equal(await account.title(), 'Your account')
    assert.include(await account.getByRole('main').innerText(), person.username)
    assert.include(await account.getByRole('main').innerText(), 'Administration')
    await account.getByLabel('Display name').fill('Ada Lovelace')
    await account.getByRole('button', { name: 'Save details' }).click()
    await account.getByRole('status').waitFor()
    const me: Answered = await inPage(page, `ui.get('/auth/users/@me')`)
    assert.equal(me.body.data.displayName, 'Ada Lovelace')
    await account.close()
  }

  test('the interface is used by the administrator of the master realm', async ({ assert }) => {
    const context = await browser.newContext()
    const admin = { realm: 'master', username: 'admin', password: 'start123' }
    await goThrough(await context.newPage(), { ...admin, namespace: () => '/resources' }, assert)
    await context.close()
  }).timeout(600_000)

  test('the interface is used by a user of another realm', async ({ assert }) => {
    const person = { realm: 'hospital', username: 'grace', password: PASSWORD }
    await makePerson(address, person)
    const context = await browser.newContext()
    const namespace = (realmId: string) => `/resources:${realmId}`
    await goThrough(await context.newPage(), { ...person, namespace }, assert)
    await context.close()
  }).timeout(600_000)

  test('the interface leads to the account page by a login of its own, and back', async ({
    assert,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${address}/auth/account/?realm_name=master`)
    assert.include(await page.getByRole('main').innerText(), 'Account')
    await page.getByLabel('User name').fill('admin')
    await page.getByLabel('Password').fill('start123')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    assert.equal(page.url(), `${address}/auth/account/`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    await context.close()
  })
})

/** A realm with a user in it who may do everything there. */
async function makePerson(
  address: string,
  { realm, username, password }: Omit<Person, 'namespace'>
) {
  const form = { grant_type: 'password', username: 'admin', password: 'start123' }
  const login = await fetch(`${address}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const { access_token: token } = (await login.json()) as { access_token: string }
  const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${address}/auth${path}`, init)
    return ((await response.json()) as { data: { id: string } }).data
  }
  const { id: realmId } = await post('/realms', { name: realm })
  const { id: userId } = await post('/users', { name: username, password, realmId })
  const roles = await fetch(`${address}/auth/roles?filter[name]=admin`, { headers })
  const [{ id: roleId }] = ((await roles.json()) as { data: [{ id: string }] }).data
  await post('/user-roles', { userId, roleId })
}

import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'
import { chromium, type Browser, type Page } from 'playwright-core'

import { seedIdentity } from '#identity/embedded/seeds'
import { at, isTogether } from '#tests/helpers/application'
import { authorizationQuery, exchange, newVerifier, type Application } from './browsing.js'
import { makeClient, makeUser, PASSWORD } from './provider.js'

const CHROMIUM = '/usr/bin/chromium'

/** The width of the focus outline in pixels. */
interface FocusLine {
  name: string
  style: string
  width: number
  offset: number
}
const FOCUS_LINE = `(({ id, tagName }, { outlineStyle, outlineWidth, outlineOffset }) => ({
  name: id || tagName,
  style: outlineStyle,
  width: parseFloat(outlineWidth),
  offset: parseFloat(outlineOffset),
}))(document.activeElement, getComputedStyle(document.activeElement))`

/** A client with an empty page. */
async function startCallback(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<title>Client</title><h1>Back at the client</h1>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

test.group('Login page in a browser', (group) => {
  let browser: Browser
  let callback: Server
  let app: Application

  group.tap((one) =>
    one.skip(
      () => !isTogether() || !existsSync(CHROMIUM),
      'it needs Chromium, and the addresses that cookies are for'
    )
  )
  group.setup(async () => {
    if (!isTogether() || !existsSync(CHROMIUM)) {
      return () => {}
    }
    await seedIdentity()
    callback = await startCallback()
    const redirectUri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`
    const { id } = await makeClient({ redirectUri, displayName: 'Analysis Hub' })
    app = { id, redirectUri }
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    return async () => {
      await browser.close()
      callback.close()
    }
  })

  async function open(challenge: string, options: object = {}): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled: false, ...options })
    const page = await context.newPage()
    await page.goto(
      `${at('identity', '/authorize')}?${new URLSearchParams(authorizationQuery(app, challenge))}`
    )
    return page
  }

  test('the page is used with the keyboard alone, without scripts', async ({ assert }) => {
    const user = await makeUser()
    const { verifier, challenge } = newVerifier()
    const page = await open(challenge)
    await page.waitForSelector('#username:focus')
    await page.keyboard.type(user.name)
    await page.keyboard.press('Tab')
    await page.keyboard.type('wrong password')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=alert]')
    await page.waitForSelector('#password:focus')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${app.redirectUri}**`)
    const code = new URL(page.url()).searchParams.get('code')!
    assert.equal((await exchange(app, code, verifier)).status, 200)
    await page.context().close()
  })

  test('the page shows where the keyboard is, at every stop', async ({ assert }) => {
    const page = await open(newVerifier().challenge)
    const stops: string[] = []
    for (let stop = 0; stop < 4; stop++) {
      const { name, style, width, offset } = await page.evaluate<FocusLine>(FOCUS_LINE)
      stops.push(name)
      assert.equal(style, 'solid', name)
      assert.isAtLeast(width, 2, name)
      assert.isAtLeast(offset, 2, `${name}: the line would run into what it surrounds`)
      await page.keyboard.press('Tab')
    }
    assert.deepEqual(stops, ['username', 'password', 'realm', 'BUTTON'])
    await page.context().close()
  })

  test('the page describes each field and failures to a screen reader', async ({ assert }) => {
    const page = await open(newVerifier().challenge)
    assert.equal(await page.title(), 'Sign in')
    assert.equal(await page.getByRole('main').count(), 1)
    assert.equal(await page.getByRole('heading', { level: 1, name: 'Sign in' }).count(), 1)
    const name = page.getByRole('textbox', { name: 'User name' })
    assert.equal(await name.getAttribute('autocomplete'), 'username')
    const password = page.getByLabel('Password')
    assert.equal(await password.getAttribute('autocomplete'), 'current-password')
    assert.equal(await page.getByRole('textbox', { name: 'Realm' }).inputValue(), 'master')
    await name.fill('nobody at all')
    await password.fill('wrong password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.equal(await page.title(), 'Problem: Sign in')
    assert.include(await page.getByRole('alert').innerText(), 'wrong')
    for (const field of [name, password]) {
      assert.equal(await field.getAttribute('aria-invalid'), 'true')
      const described = await field.getAttribute('aria-describedby')
      assert.equal(await page.locator(`#${described}`).getAttribute('role'), 'alert')
    }
    assert.equal(await name.inputValue(), 'nobody at all')
    assert.equal(await password.inputValue(), '')
    await page.context().close()
  })

  test('the page shows who is signed in, and signs them out', async ({ assert }) => {
    const user = await makeUser({ displayName: 'Ada Lovelace' })
    const page = await open(newVerifier().challenge)
    const address = page.url()
    await page.getByLabel('User name').fill(user.name)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${app.redirectUri}**`)
    await page.goto(address)
    await page.waitForSelector('button:focus')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${app.redirectUri}**`)
    await page.goto(address)
    assert.include(await page.getByRole('main').innerText(), 'Ada Lovelace')
    await page.getByRole('button', { name: 'use another account' }).click()
    await page.getByLabel('Password').waitFor()
    await page.goto(address)
    assert.equal(await page.getByLabel('Password').count(), 1)
    await page.context().close()
  })

  test('the page fits a telephone, and loads nothing but itself', async ({ assert }) => {
    const page = await open(newVerifier().challenge, { viewport: { width: 320, height: 640 } })
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.reload()
    assert.lengthOf(requests, 1)
    const field = await page.getByLabel('User name').boundingBox()
    assert.isAtMost(field!.x + field!.width, 320)
    await page.context().close()
  })
})

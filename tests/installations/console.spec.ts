import { test } from '@japa/runner'

import { Browser } from '#tests/helpers/console/browser'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { freePort } from '#tests/services/servers/free_port'

const ADMIN = { username: 'admin', password: 'start123', realm: 'master', action: 'sign_in' }

/** Starts a process at an address that it knows, as a browser has to return there. */
async function startAt(variables: Record<string, string>) {
  const port = String(await freePort())
  const address = `http://127.0.0.1:${port}`
  const own = { PORT: port, PUBLIC_URL: address }
  return {
    address,
    hub: await HubProcesses.start('server', { variables: { ...own, ...variables } }),
  }
}

/** Signs in from a page of the console, as far as the page that was wanted. */
async function signInFrom(browser: Browser, page: string) {
  const login = await browser.open(page)
  return browser.submit(login, login.url, ADMIN)
}

test.group('Console of real processes', () => {
  test('beside the services, it signs in at the embedded provider', async ({ assert, cleanup }) => {
    const { hub, address } = await startAt({ JOBS: 'none' })
    cleanup(() => hub.remove())
    const browser = new Browser()
    const page = await signInFrom(browser, `${address}/admin/nodes?state=online`)
    assert.equal(page.status, 200)
    assert.match(page.url, /\/admin\/nodes\?state=online$/)
    assert.include(page.text, 'Sign out')
    const out = await browser.submit(page, '/admin/sign-out', {})
    assert.include(out.text, 'You are signed out')
  })

  test('alone, it signs in at a provider elsewhere and has its pages at the root', async ({
    assert,
    cleanup,
  }) => {
    const services = 'core,storage,telemetry,messenger,identity'
    const { hub, address: elsewhere } = await startAt({ SURFACES: services, JOBS: 'none' })
    cleanup(() => hub.remove())
    const { hub: alone, address } = await startAt({
      SURFACES: 'console',
      IDENTITY_URL: `${elsewhere}/auth`,
      CORE_URL: `${elsewhere}/core`,
      STORAGE_URL: `${elsewhere}/storage`,
      TELEMETRY_URL: `${elsewhere}/telemetry`,
      MESSENGER_URL: `${elsewhere}/messenger`,
    })
    cleanup(() => alone.remove())
    const page = await signInFrom(new Browser(), `${address}/nodes?state=online`)
    assert.equal(page.status, 200)
    assert.match(page.url, /:\d+\/nodes\?state=online$/)
    assert.include(page.text, 'Sign out')
    assert.notInclude(page.text, '"/admin')
  })
})

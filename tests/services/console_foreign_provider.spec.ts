import { test } from '@japa/runner'
import { chromium, type Browser, type Page } from 'playwright-core'

import type { ConsoleSession } from '#console/session/console_session'
import { Sealing } from '#records/sealing'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { realTime } from '#tests/helpers/real_time'
import { locateChromium } from '#tests/services/servers/chromium'
import { freePort } from '#tests/services/servers/free_port'
import {
  openThroughGlewlwyd,
  serveOpenId,
  startGlewlwyd,
  type OpenIdSite,
} from '#tests/services/servers/glewlwyd'
import type { RealServer } from '#tests/services/servers/real_server'

interface Mounting {
  readonly title: string
  /** Where the console is, on its port. */
  readonly path: string
  start(consolePort: number, corePort: number, provider: Variables): Promise<HubProcesses[]>
}

type Variables = Record<string, string>

interface Installation {
  readonly mounting: Mounting
  readonly ports: { readonly console: number; readonly core: number }
  readonly site: OpenIdSite
  readonly browser: Browser
}

const APP_KEY = 'a-key-for-tests-that-is-long-enough-000'
const MINUTE_MS = 60_000

const addressOf = (port: number) => `http://localhost:${port}`

const MOUNTINGS: readonly Mounting[] = [
  {
    title: 'with all services at one address',
    path: '/admin',
    start: async (port, _, provider) => [
      await HubProcesses.start('server', {
        variables: { ...provider, PORT: String(port), PUBLIC_URL: addressOf(port) },
      }),
    ],
  },
  {
    title: 'at an address of its own',
    path: '',
    start: (port, corePort, provider) =>
      Promise.all(
        Object.entries({ console: port, core: corePort }).map(([SURFACES, PORT]) =>
          HubProcesses.start('server', {
            variables: {
              ...provider,
              SURFACES,
              PORT: String(PORT),
              PUBLIC_URL: addressOf(PORT),
              CORE_URL: addressOf(corePort),
            },
          })
        )
      ),
  },
]

/** Programs of the hub whose users sign in at a provider, and a browser that has done so. */
async function signIn(
  { mounting, ports, site, browser }: Installation,
  cleanup: (work: () => Promise<void>) => void
) {
  const { clientId, clientSecret } = site.client
  const programs = await mounting.start(ports.console, ports.core, {
    APP_KEY,
    IDENTITY_URL: site.url,
    IDENTITY_INTROSPECTION_AUTH: 'basic',
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    CONSOLE_CLIENT_ID: clientId,
    CONSOLE_CLIENT_SECRET: clientSecret,
    CONSOLE_SCOPE: 'openid hub',
  })
  cleanup(async () => void (await Promise.all(programs.map((program) => program.remove()))))
  const context = await browser.newContext()
  cleanup(() => context.close())
  const page = await context.newPage()
  const address = addressOf(ports.console) + mounting.path
  await openThroughGlewlwyd(page, `${address}/nodes`, site)
  return { page, address }
}

/** The tokens in the cookies of a browser, which only the hub can read. */
async function tokensOf(page: Page): Promise<ConsoleSession> {
  const cookies = await page.context().cookies()
  const chunks = cookies
    .filter(({ name }) => /^hub_console(\.\d)?$/.test(name))
    .toSorted((one, other) => one.name.localeCompare(other.name))
  const sealed = chunks.map(({ value }) => decodeURIComponent(value)).join('')
  return JSON.parse(new Sealing([APP_KEY]).unseal('console session', sealed)!) as ConsoleSession
}

async function revoke({ url, client }: OpenIdSite, token: string, type: string): Promise<void> {
  const response = await fetch(`${url}/revoke`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
    body: new URLSearchParams({ token, token_type_hint: type }),
  })
  if (!response.ok) {
    throw new Error(`Glewlwyd answers ${response.status}`)
  }
}

/**
 * Requests a page until that leads to the sign-in. Returns how long after the beginning the last request was made that
 * still showed the page. A slow machine makes that no later: the hub decides by when a request arrives.
 */
async function lastShownAfter(page: Page, address: string): Promise<number> {
  const startedAt = performance.now()
  let lastShown = 0
  for (;;) {
    const requestedAfter = performance.now() - startedAt
    const response = await page.request.get(address, { maxRedirects: 0 })
    if (response.headers().location?.includes('/sign-in')) {
      return lastShown
    }
    if (response.status() !== 200) {
      throw new Error(`The console answers ${response.status()}: ${await response.text()}`)
    }
    lastShown = requestedAfter
    await realTime(500, 'the hub and its provider have their own clock')
  }
}

test.group('The console with a foreign identity provider', (group) => {
  let server: RealServer
  let site: OpenIdSite
  let browser: Browser
  let ports: readonly number[]

  const installationOf = (mounting: Mounting): Installation => ({
    mounting,
    ports: {
      console: ports[MOUNTINGS.findIndex(({ title }) => title === mounting.title)]!,
      core: ports.at(-1)!,
    },
    ...{ site, browser },
  })

  group.tap((one) => one.timeout(600_000))
  group.setup(async () => {
    server = await startGlewlwyd()
    ports = await Promise.all([...MOUNTINGS, 'core'].map(() => freePort()))
    const returns = MOUNTINGS.map(
      ({ path }, index) => `${addressOf(ports[index]!)}${path}/callback`
    )
    site = await serveOpenId(server.url, returns)
    browser = await chromium.launch(await locateChromium())
    return async () => {
      await browser.close()
      await server.stop()
    }
  })

  test('the console signs people in there, and out: {title}')
    .with(MOUNTINGS.map((mounting) => ({ ...mounting })))
    .run(async ({ assert, cleanup }, mounting) => {
      const { page, address } = await signIn(installationOf(mounting), cleanup)
      assert.equal(page.url(), `${address}/nodes`, await page.innerText('body'))
      assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Nodes')
      const shown = await page.getByRole('banner').innerText()
      assert.include(shown, site.user.username)
      assert.include(shown, site.user.realm_name)

      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      const response = await page.request.get(`${address}/nodes`, { maxRedirects: 0 })
      assert.equal(response.status(), 303, 'there is a session no more')
    })

  test('the console ends sessions within a minute if the provider ends their tokens: {title}')
    .with(MOUNTINGS.map((mounting) => ({ ...mounting })))
    .run(async ({ assert, cleanup }, mounting) => {
      const { page, address } = await signIn(installationOf(mounting), cleanup)
      const { accessToken, refreshToken } = await tokensOf(page)
      await revoke(site, refreshToken!, 'refresh_token')
      await revoke(site, accessToken, 'access_token')
      assert.isAtMost(await lastShownAfter(page, `${address}/nodes`), MINUTE_MS)
    })

  test('the console ends sessions within a minute if access tokens are valid for no longer', async ({
    assert,
    cleanup,
  }) => {
    const provider = await startGlewlwyd()
    cleanup(() => provider.stop())
    const [mounting] = MOUNTINGS
    const port = await freePort()
    const returns = [`${addressOf(port)}${mounting!.path}/callback`]
    const short = await serveOpenId(provider.url, returns, 60)
    const installation = { mounting: mounting!, ports: { console: port, core: port } }
    const { page, address } = await signIn({ ...installation, site: short, browser }, cleanup)
    const { refreshToken } = await tokensOf(page)
    await revoke(short, refreshToken!, 'refresh_token')
    assert.isAtMost(await lastShownAfter(page, `${address}/nodes`), MINUTE_MS)
  })
})

import { test } from '@japa/runner'
import { chromium, type Browser } from 'playwright-core'

import { HubProcesses } from '#tests/helpers/hub_processes'
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

test.group('The console with a foreign identity provider', (group) => {
  let server: RealServer
  let site: OpenIdSite
  let browser: Browser
  let ports: readonly number[]

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

  test('signs people in there, and out: {title}')
    .with(MOUNTINGS.map((mounting) => ({ ...mounting })))
    .run(async ({ assert, cleanup }, mounting) => {
      const port = ports[MOUNTINGS.findIndex(({ title }) => title === mounting.title)]!
      const { clientId, clientSecret } = site.client
      const programs = await mounting.start(port, ports.at(-1)!, {
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
      const address = addressOf(port) + mounting.path

      await openThroughGlewlwyd(page, `${address}/nodes`, site)
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
})

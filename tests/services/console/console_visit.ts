import { fileURLToPath } from 'node:url'

import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'

import type { Person } from './platform_client.js'

const LIMIT_MS = 60_000

const IN_PAGE = fileURLToPath(new URL('in_page.mjs', import.meta.url))

export type Theme = 'light' | 'dark'

/** A person with a browser at the console. Notes everything that a browser complains about. */
export class ConsoleVisit {
  readonly page: Page
  readonly complaints: string[] = []
  readonly #origin: string
  #clicks = 0

  /** Opens the console and signs in, if that is asked for. */
  static async open(
    browser: Browser,
    origin: string,
    person?: Person,
    options: { javaScriptEnabled?: boolean } = {}
  ): Promise<ConsoleVisit> {
    const context = await browser.newContext({
      ...options,
      viewport: { width: 1440, height: 900 },
      acceptDownloads: true,
    })
    await context.addInitScript({ path: IN_PAGE })
    const visit = new ConsoleVisit(await context.newPage(), origin)
    if (person) {
      await visit.signIn(person)
    }
    return visit
  }

  private constructor(page: Page, origin: string) {
    this.page = page
    this.#origin = origin
    page.setDefaultTimeout(LIMIT_MS)
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        this.complaints.push(`${page.url()}: ${message.text()}`)
      }
    })
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.message}`))
    page.on('request', (request) => {
      const { protocol, origin: asked } = new URL(request.url())
      if (protocol !== 'data:' && asked !== origin) {
        this.complaints.push(`${page.url()} asks ${request.url()}`)
      }
    })
  }

  get context(): BrowserContext {
    return this.page.context()
  }

  /** How often was clicked since the console was opened. */
  get clicks(): number {
    return this.#clicks
  }

  async signIn({ realm, username, password }: Person): Promise<void> {
    await this.page.goto(`${this.#origin}/admin`)
    await this.page.getByLabel('User name').fill(username)
    await this.page.getByLabel('Password').fill(password)
    await this.page.getByLabel('Realm').fill(realm)
    await this.page.getByRole('button', { name: 'Sign in' }).click()
    await this.page.getByRole('navigation', { name: 'Areas' }).waitFor()
  }

  /** Begins a task at the first page of the console. */
  async begin(): Promise<void> {
    await this.page.goto(`${this.#origin}/admin`)
    this.#clicks = 0
  }

  goto(path: string) {
    return this.page.goto(this.#origin + path)
  }

  async click(target: Locator): Promise<void> {
    await target.click()
    this.#clicks++
  }

  area(name: string): Promise<void> {
    const areas = this.page.getByRole('navigation', { name: 'Areas' })
    return this.click(areas.getByRole('link', { name, exact: true }))
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('main').getByRole('link', { name }).first())
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('main').getByRole('button', { name }).first())
  }

  async lookAs(theme: Theme, width: number): Promise<void> {
    await this.page.emulateMedia({ colorScheme: theme })
    await this.page.setViewportSize({ width, height: 900 })
  }

  /** What axe finds, one line each. */
  async violations(): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page: this.page }).analyze()
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${this.page.url()}: ${id} (${help}): ${html.slice(0, 200)}`)
    )
  }

  /** What sticks out of the window. */
  overflow(): Promise<string[]> {
    return this.page.evaluate('inPage.overflow()')
  }

  /** The pages that this one leads to. */
  links(): Promise<string[]> {
    return this.page.evaluate(`inPage.links('/admin')`)
  }

  /** Goes through the page with the key Tab alone, and says what cannot be reached, or not be seen when it is. */
  async keyboardFaults(): Promise<string[]> {
    const { page } = this
    const presses = await page.evaluate<number>('inPage.watchFocus()')
    await page.keyboard.press('Tab')
    const hasSkipLink = await page.evaluate<boolean>('inPage.isAtSkipLink()')
    for (let pressed = 1; pressed < presses; pressed++) {
      await page.keyboard.press('Tab')
    }
    const faults = await page.evaluate<string[]>('inPage.focusFaults()')
    return hasSkipLink
      ? faults
      : [`${page.url()} does not begin with a link to its content`, ...faults]
  }
}

import type { ConsoleSession } from '#console/session/console_session'
import { newFormSecret } from '#console/session/console_session'
import { clock } from '#kernel/clock'
import { seal, unseal } from '#records/sealing'
import { SURFACE_PREFIXES } from '#configuration/surfaces'
import { at, isTogether } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { authorizeAt } from './authorize_at.js'

export interface ConsolePage {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly title: string
  /** The redirect target, as the console or the provider sent it. */
  readonly location: string | undefined
}

/** The cookies of a session, the further ones only if it is large. */
const CHUNKS = ['hub_console', 'hub_console.1', 'hub_console.2']

type Traits = Parameters<typeof identity>[0]

/** A browser without scripts at the console. It keeps its cookies, and follows a redirect only when asked to. */
export class ConsoleVisitor {
  readonly cookies = new Map<string, string>()

  /** A visitor in the session of a test identity, which by default may do everything. */
  static as(traits: Traits = {}): ConsoleVisitor {
    const visitor = new ConsoleVisitor()
    visitor.become({ accessToken: identity(traits).token })
    return visitor
  }

  /** Signs in at the embedded provider, as a browser does it. */
  static async signedIn(login: { username: string; password: string; realm?: string }) {
    const visitor = new ConsoleVisitor()
    const start = await visitor.open('/sign-in')
    const back = await authorizeAt(start.location!, login)
    const finished = await visitor.open(consolePath(back))
    return { visitor, start, back, finished }
  }

  /** Replaces the session, for tokens that no provider issued. */
  become(session: Partial<ConsoleSession>): void {
    const whole = {
      refreshToken: undefined,
      expiresAt: clock.now() + 600_000,
      formSecret: newFormSecret(),
      ...session,
    }
    CHUNKS.forEach((name) => this.cookies.delete(name))
    this.cookies.set('hub_console', seal('console session', JSON.stringify(whole), '1 hour'))
  }

  /** The headers of its requests, for streams. */
  get headers(): Record<string, string> {
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
  }

  /** What the session contains, which only the server can read. */
  get session(): ConsoleSession {
    const sealed = CHUNKS.map((name) => this.cookies.get(name) ?? '').join('')
    return JSON.parse(unseal('console session', decodeURIComponent(sealed))!) as ConsoleSession
  }

  open(path: string, headers: Record<string, string> = {}): Promise<ConsolePage> {
    return this.#request(path, { headers })
  }

  /** Sends a form of a page with its hidden fields, as a browser does. */
  submit(
    page: ConsolePage,
    action: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {}
  ): Promise<ConsolePage> {
    const body = new URLSearchParams({ ...hiddenFieldsOf(page, action), ...fields })
    return this.#request(action, {
      method: 'POST',
      body,
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    })
  }

  /** Sends a form that no page of the console made. */
  forge(action: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    return this.#request(action, { method: 'POST', body: new URLSearchParams(fields), headers })
  }

  follow({ location }: ConsolePage): Promise<ConsolePage> {
    return this.open(consolePath(location!))
  }

  async #request(path: string, init: RequestInit & { headers: Record<string, string> }) {
    const response = await fetch(at('console', path), {
      ...init,
      headers: { ...(this.cookies.size > 0 && this.headers), ...init.headers },
      redirect: 'manual',
    })
    response.headers.getSetCookie().forEach((set) => this.#keep(set))
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      title: /<title>([^<]*)<\/title>/.exec(text)?.[1] ?? '',
      location: response.headers.get('location') ?? undefined,
    }
  }

  #keep(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (/max-age=(0|-\d+)\b/i.test(set)) {
      this.cookies.delete(name)
    } else {
      this.cookies.set(name, value)
    }
  }
}

/** The path within the console of an address that it sent, on either mounting. */
export function consolePath(address: string): string {
  const { pathname, search } = new URL(address, 'http://console')
  return pathname.replace(new RegExp(`^${SURFACE_PREFIXES.console}(?=/|$)`), '') + search
}

/** The hidden fields of the form with an action, which stands on the page with the public prefix. */
function hiddenFieldsOf({ text }: ConsolePage, action: string): Record<string, string> {
  const forms = text.match(/<form[^]*?<\/form>/g) ?? []
  const form = forms.find((one) => consolePath(attribute(one, 'action')) === action)
  if (form === undefined) {
    throw new Error(`The page has no form for ${action}`)
  }
  const hidden = form.match(/<input type="hidden"[^>]*>/g) ?? []
  return Object.fromEntries(hidden.map((one) => [attribute(one, 'name'), attribute(one, 'value')]))
}

const attribute = (text: string, name: string): string =>
  unescaped(new RegExp(`${name}="([^"]*)"`).exec(text)?.[1] ?? '')

const ENTITIES: Readonly<Record<string, string>> = {
  'amp': '&',
  'lt': '<',
  'gt': '>',
  'quot': '"',
  '#x27': "'",
  '#39': "'",
  '#x60': '`',
}

/** Text of a page as a reader sees it. */
export const unescaped = (text: string): string =>
  text.replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)

/** Whether the console and the services share an origin in the running suite. */
export const sharesOrigin = isTogether

import { unescaped } from './console_visitor.js'

interface Visit {
  readonly url: string
  readonly status: number
  readonly text: string
}

const MAX_REDIRECTS = 10

/** A browser without scripts for real processes: it keeps the cookies of each origin and path, and follows redirects. */
export class Browser {
  readonly #cookies = new Map<string, { origin: string; path: string; pair: string }>()

  async open(url: string, init: RequestInit = {}): Promise<Visit> {
    let [address, request] = [url, init]
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await fetch(address, {
        ...request,
        headers: { ...request.headers, cookie: this.#cookiesFor(new URL(address)) },
        redirect: 'manual',
      })
      response.headers.getSetCookie().forEach((set) => this.#keep(new URL(address), set))
      const text = await response.text()
      const location = response.headers.get('location')
      if (location === null) {
        return { url: address, status: response.status, text }
      }
      address = new URL(location, address).href
      request = {}
    }
    throw new Error(`${url} redirects more than ${MAX_REDIRECTS} times`)
  }

  /** Sends the form of a page with its hidden fields. */
  submit({ url, text }: Visit, action: string, fields: Record<string, string>): Promise<Visit> {
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
    const own = Object.fromEntries(hidden.map(([, name, value]) => [name, unescaped(value!)]))
    const body = new URLSearchParams({ ...own, ...fields })
    return this.open(new URL(action, url).href, { method: 'POST', body })
  }

  #cookiesFor({ origin, pathname }: URL): string {
    return [...this.#cookies.values()]
      .filter((cookie) => cookie.origin === origin && pathname.startsWith(cookie.path))
      .map(({ pair }) => pair)
      .join('; ')
  }

  #keep({ origin }: URL, set: string): void {
    const [pair = ''] = set.split(';')
    const [name = ''] = pair.split('=')
    const path = /path=([^;]+)/i.exec(set)?.[1] ?? '/'
    const key = `${origin} ${path} ${name}`
    if (/max-age=(0|-\d+)\b/i.test(set)) {
      this.#cookies.delete(key)
    } else {
      this.#cookies.set(key, { origin, path, pair })
    }
  }
}

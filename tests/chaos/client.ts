import { fetchAnew } from '#tests/helpers/http/fetch_anew'

/** What takes longer than this hangs. */
export const ANSWER_LIMIT_MS = 30_000

const LOGIN = { grant_type: 'password', username: 'admin', password: 'start123' }

interface Answer {
  readonly data?: { readonly id: string; readonly name: string; readonly intact?: boolean }
  readonly message?: string
}

/** One request, from the client's point of view. Without a status, no answer came. */
export interface Exchange {
  readonly at: number
  readonly milliseconds: number
  readonly status: number | undefined
  readonly body: Answer
}

/** Whether it is open what became of the request. */
export function isOpen({ status }: Pick<Exchange, 'status'>): boolean {
  return status === undefined || status >= 500
}

/**
 * A client that is signed in and writes down how each request went.
 */
export class Client {
  /** All there has been. */
  readonly exchanges: Exchange[] = []
  readonly #origin: string
  readonly #token: string

  static async signIn(origin: string): Promise<Client> {
    const answer = await fetchAnew(`${origin}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams(LOGIN),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    return new Client(origin, token)
  }

  private constructor(origin: string, token: string) {
    this.#origin = origin
    this.#token = token
  }

  async send(method: 'POST' | 'DELETE', path: string, body?: object): Promise<Exchange> {
    const at = performance.now()
    const answer = await this.#answer(method, `/core${path}`, body)
    const exchange = { at, milliseconds: performance.now() - at, ...answer }
    this.exchanges.push(exchange)
    return exchange
  }

  /** Reads, which no other client has to notice. */
  async read(path: string): Promise<Pick<Exchange, 'status' | 'body'>> {
    return this.#answer('GET', path)
  }

  async #answer(
    method: string,
    path: string,
    body?: object
  ): Promise<Pick<Exchange, 'status' | 'body'>> {
    try {
      const response = await fetch(this.#origin + path, {
        method,
        headers: {
          'authorization': `Bearer ${this.#token}`,
          'content-type': 'application/json',
        },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      })
      return { status: response.status, body: (await response.json()) as Exchange['body'] }
    } catch (error) {
      return { status: undefined, body: { message: String(error) } }
    }
  }
}

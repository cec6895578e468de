import type { SurfaceName } from '#configuration/surfaces'
import { LoginProblem } from '#hubctl/problem'
import type { Addresses } from './addresses.js'
import type { Planned } from './planned.js'
import { reach } from './reaching.js'
import { refusalOf } from './refusals.js'
import type { Session } from './session.js'

export type ChangeMethod = 'POST' | 'DELETE'

export interface Asking {
  readonly method?: string
  readonly query?: URLSearchParams | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly patience?: number
}

/** The services of one platform, as one caller. */
export class Api {
  readonly #session: Session
  readonly #planned: Planned | undefined

  /** With `planned`, changes are noted there and not made. */
  constructor(
    readonly addresses: Addresses,
    session: Session,
    planned?: Planned
  ) {
    this.#session = session
    this.#planned = planned
  }

  /** What a service answers to a question. */
  async read<T>(service: SurfaceName, path: string, asking: Asking = {}): Promise<T> {
    const response = await this.open(service, path, asking)
    return (await response.json()) as T
  }

  /** What a service answers to a change; undefined where changes are only planned. */
  async change<T>(
    method: ChangeMethod,
    service: SurfaceName,
    path: string,
    body?: unknown,
    patience?: number
  ): Promise<T | undefined> {
    if (this.#planned) {
      this.#planned.planned({ method, address: this.addresses.of(service) + path, body })
      return undefined
    }
    const response = await this.open(service, path, {
      method,
      body,
      ...(patience !== undefined && { patience }),
    })
    const text = await response.text()
    return (text === '' ? null : JSON.parse(text)) as T
  }

  /** Whether changes are only planned. */
  get isPlanning(): boolean {
    return this.#planned !== undefined
  }

  /** For changes that are not one request of JSON. */
  plan(method: string, service: SurfaceName, path: string, body?: unknown): void {
    this.#planned?.planned({ method, address: this.addresses.of(service) + path, body })
  }

  /** An answer whose body the caller reads. A token that is over is renewed, once. */
  async open(service: SurfaceName, path: string, asking: Asking = {}): Promise<Response> {
    const { query } = asking
    const address = `${this.addresses.of(service)}${path}${query?.size ? `?${query}` : ''}`
    const token = await this.#session.token()
    const response = await this.#send(address, asking, token)
    if (response.status !== 401) {
      return accepted(response)
    }
    if (token === undefined) {
      await response.body?.cancel()
      throw new LoginProblem('Nobody is logged in at this platform.')
    }
    const another = await this.#session.renewed(token)
    await response.body?.cancel()
    if (another === undefined) {
      throw new LoginProblem('The token is not accepted, or not any more.', adviceForToken())
    }
    return accepted(await this.#send(address, asking, another))
  }

  /** The access token, for what makes requests of its own. */
  token(): Promise<string | undefined> {
    return this.#session.token()
  }

  #send(address: string, asking: Asking, token: string | undefined): Promise<Response> {
    const { method = 'GET', body, headers, signal, patience } = asking
    return reach(address, {
      method,
      headers: {
        accept: 'application/json',
        prefer: 'handling=strict',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      ...(patience !== undefined && { patience }),
    })
  }
}

function adviceForToken(): string | undefined {
  return process.env.HUBCTL_TOKEN
    ? 'It is the one in HUBCTL_TOKEN: put another one there, or unset it.'
    : undefined
}

async function accepted(response: Response): Promise<Response> {
  if (!response.ok) {
    throw await refusalOf(response)
  }
  return response
}

import type { SurfaceName } from '#configuration/surfaces'
import { LoginProblem } from '#hubctl/problem'
import type { Addresses } from './addresses.js'
import type { PlanRecorder } from './plan_recorder.js'
import { reach } from './reach.js'
import { apiErrorFrom } from './api_error.js'
import type { Session } from './session.js'

export type ChangeMethod = 'POST' | 'DELETE'

export interface RequestOptions {
  readonly method?: string
  readonly query?: URLSearchParams | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** The services of one platform, as one caller. */
export class Api {
  readonly #session: Session
  readonly #planned: PlanRecorder | undefined

  /** With `planned`, changes are noted there and not made. */
  constructor(
    readonly addresses: Addresses,
    session: Session,
    planned?: PlanRecorder
  ) {
    this.#session = session
    this.#planned = planned
  }

  /** What a service answers to a question. */
  async read<T>(service: SurfaceName, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.open(service, path, options)
    return (await response.json()) as T
  }

  /** What a service answers to a change; undefined where changes are only planned. */
  async change<T>(
    method: ChangeMethod,
    service: SurfaceName,
    path: string,
    body?: unknown,
    timeoutMs?: number
  ): Promise<T | undefined> {
    if (this.#planned) {
      this.#planned.recordPlanned({ method, address: this.addresses.of(service) + path, body })
      return undefined
    }
    const response = await this.open(service, path, {
      method,
      body,
      ...(timeoutMs !== undefined && { timeoutMs }),
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
    this.#planned?.recordPlanned({ method, address: this.addresses.of(service) + path, body })
  }

  /** An answer whose body the caller reads. A token that is over is renewed, once. */
  async open(service: SurfaceName, path: string, options: RequestOptions = {}): Promise<Response> {
    const { query } = options
    const address = `${this.addresses.of(service)}${path}${query?.size ? `?${query}` : ''}`
    const token = await this.#session.token()
    const response = await this.#send(address, options, token)
    if (response.status !== 401) {
      return requireOk(response)
    }
    if (token === undefined) {
      await response.body?.cancel()
      throw new LoginProblem('Nobody is logged in at this platform.')
    }
    const renewed = await this.#session.renewed(token)
    await response.body?.cancel()
    if (renewed === undefined) {
      throw new LoginProblem('The token is not accepted, or not any more.', adviceForToken())
    }
    return requireOk(await this.#send(address, options, renewed))
  }

  /** The access token, for what makes requests of its own. */
  token(): Promise<string | undefined> {
    return this.#session.token()
  }

  #send(address: string, options: RequestOptions, token: string | undefined): Promise<Response> {
    const { method = 'GET', body, headers, signal, timeoutMs } = options
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
      ...(timeoutMs !== undefined && { patience: timeoutMs }),
    })
  }
}

function adviceForToken(): string | undefined {
  return process.env.HUBCTL_TOKEN
    ? 'It is the one in HUBCTL_TOKEN: put another one there, or unset it.'
    : undefined
}

async function requireOk(response: Response): Promise<Response> {
  if (!response.ok) {
    throw await apiErrorFrom(response)
  }
  return response
}

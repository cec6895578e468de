import type { SurfaceName } from '#configuration/surfaces'
import { LoginProblem } from '#hubctl/problem'
import type { Addresses } from './addresses.js'
import { boundedJson, boundedText } from './bounded_body.js'
import type { PlanRecorder } from './plan_recorder.js'
import { reach } from './reach.js'
import { apiErrorFrom } from './api_error.js'
import type { Session } from './session.js'
import { traceOfCaller } from './trace_of_caller.js'

export type ChangeMethod = 'POST' | 'DELETE'

export interface RequestOptions {
  readonly method?: string
  readonly query?: URLSearchParams | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** Requests to the services of one platform with one login. */
export class Api {
  readonly #session: Session
  readonly #planned: PlanRecorder | undefined

  /** With `planned`, changes are recorded there instead of sent. */
  constructor(
    readonly addresses: Addresses,
    session: Session,
    planned?: PlanRecorder
  ) {
    this.#session = session
    this.#planned = planned
  }

  /** Sends a read request and parses the JSON answer. */
  async read<T>(service: SurfaceName, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.open(service, path, options)
    return boundedJson<T>(response)
  }

  /** Sends a change and parses the JSON answer; undefined in a dry run. */
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
    const text = await boundedText(response)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  /** Whether this is a dry run. */
  get isPlanning(): boolean {
    return this.#planned !== undefined
  }

  /** Records a change that is not a single JSON request. */
  plan(method: string, service: SurfaceName, path: string, body?: unknown): void {
    this.#planned?.recordPlanned({ method, address: this.addresses.of(service) + path, body })
  }

  /** Sends a request; the caller reads the body. An expired token is renewed once. */
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
      throw new LoginProblem('No user is logged in at this platform.')
    }
    const renewed = await this.#session.renewed(token)
    await response.body?.cancel()
    if (renewed === undefined) {
      throw new LoginProblem('The token is invalid or has expired.', adviceForToken())
    }
    return requireOk(await this.#send(address, options, renewed))
  }

  /** The access token, for requests that are not made here. */
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
        ...traceOfCaller(),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
  }
}

function adviceForToken(): string | undefined {
  return process.env.HUBCTL_TOKEN
    ? 'It comes from HUBCTL_TOKEN: replace it or unset the variable.'
    : undefined
}

async function requireOk(response: Response): Promise<Response> {
  if (!response.ok) {
    throw await apiErrorFrom(response)
  }
  return response
}

import { readJson } from '#client/body'
import type { Credentials } from '#client/credentials'
import { Refused } from '#client/failures'
import { Transport, type Call } from '#client/transport'
import type { SurfaceName } from '#configuration/surfaces'
import { LoginProblem } from '#hubctl/problem'
import type { Addresses } from './addresses.js'
import type { PlanRecorder } from './plan_recorder.js'
import { reach } from './reach.js'
import { apiErrorOf } from './api_error.js'
import { traceOfCaller } from './trace_of_caller.js'

export type ChangeMethod = 'POST' | 'DELETE'

/** Requests to the services of one platform with one login. */
export class Api {
  readonly #transport: Transport
  readonly #credentials: Credentials
  readonly #planned: PlanRecorder | undefined

  /** With `planned`, changes are recorded there instead of sent. */
  constructor(
    readonly addresses: Addresses,
    credentials: Credentials,
    planned?: PlanRecorder
  ) {
    this.#credentials = credentials
    this.#planned = planned
    this.#transport = new Transport({
      credentials: requiringLogin(credentials),
      headers: () => ({ prefer: 'handling=strict', ...traceOfCaller() }),
    })
  }

  /** Sends a read request and parses the JSON answer. */
  async read<T>(service: SurfaceName, path: string, call?: Call): Promise<T> {
    return readJson<T>(await this.open(service, path, call))
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
    const limit = timeoutMs === undefined ? {} : { timeoutMs }
    const response = await this.open(service, path, { method, json: body, ...limit })
    return (await readJson<T | undefined>(response)) ?? (null as T)
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
  async open(service: SurfaceName, path: string, call?: Call): Promise<Response> {
    const response = await reach(this.addresses.of(service) + path, call, this.#transport)
    if (!response.ok) {
      throw apiErrorOf(await Refused.from(response))
    }
    return response
  }

  /** The access token, for requests that are not made here. */
  token(): Promise<string | undefined> {
    return this.#credentials.token()
  }
}

/** A token that is refused and cannot be renewed says what to do. */
const requiringLogin = (credentials: Credentials): Credentials => ({
  token: () => credentials.token(),
  async renewed(refused) {
    if (refused === undefined) {
      throw new LoginProblem('No user is logged in at this platform.')
    }
    const renewed = await credentials.renewed(refused)
    if (renewed === undefined) {
      throw new LoginProblem('The token is invalid or has expired.', adviceForToken())
    }
    return renewed
  },
})

function adviceForToken(): string | undefined {
  return process.env.HUBCTL_TOKEN
    ? 'It comes from HUBCTL_TOKEN: replace it or unset the variable.'
    : undefined
}

import { SURFACE_PREFIXES, type SurfaceName } from '#configuration/surfaces'

import { HubRefusal } from '#node/errors'
import { traceHeaders } from '#tracing/tracing'
import { jsonOf } from './json_of.js'
import { nodeHeaders } from './node_headers.js'
import { Login, type ClientCredentials } from './login.js'
import { requestHub } from './request_hub.js'

export interface HubAddress {
  readonly url: string
  /** Services with an address of their own. */
  readonly services?: Readonly<Partial<Record<SurfaceName, string>>>
}

export interface HubRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Calls the public interface of a hub with the login of one client. */
export class Hub {
  readonly #address: HubAddress
  readonly #login: Login
  readonly #unbounded: readonly string[] | undefined

  /** `unbounded` names resources that no limit covers on the machine of a node; undefined for other clients. */
  constructor(address: HubAddress, credentials: ClientCredentials, unbounded?: readonly string[]) {
    this.#address = address
    this.#login = new Login(this.#of('identity'), credentials)
    this.#unbounded = unbounded
  }

  /** Sends a request and parses the JSON answer. */
  async json<T>(service: SurfaceName, path: string, request?: HubRequest): Promise<T> {
    return jsonOf<T>(await this.open(service, path, request))
  }

  /** Sends a request; the caller reads the body. A refused token is renewed once. */
  async open(service: SurfaceName, path: string, request: HubRequest = {}): Promise<Response> {
    const token = await this.#login.token()
    try {
      return await this.#send(service, path, request, token)
    } catch (error) {
      if (!(error instanceof HubRefusal) || error.status !== 401) {
        throw error
      }
      return this.#send(service, path, request, await this.#login.token(token))
    }
  }

  #send(service: SurfaceName, path: string, request: HubRequest, token: string): Promise<Response> {
    const { method = 'GET', query, json, body, headers, signal } = request
    const search = query ? `?${new URLSearchParams(query)}` : ''
    return requestHub(`${this.#of(service)}${path}${search}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...traceHeaders(),
        ...nodeHeaders(this.#unbounded),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body && { body }),
      ...(signal && { signal }),
    })
  }

  #of(service: SurfaceName): string {
    return this.#address.services?.[service] ?? this.#address.url + SURFACE_PREFIXES[service]
  }
}

import { Transport, type Call } from '#client/transport'
import { SURFACE_PREFIXES, type SurfaceName } from '#configuration/surfaces'

import { traceHeaders } from '#tracing/tracing'
import { jsonOf } from './json_of.js'
import { nodeHeaders } from './node_headers.js'
import { loginAt, type ClientCredentials } from './login.js'
import { requestHub } from './request_hub.js'

export interface HubAddress {
  readonly url: string
  /** Services with an address of their own. */
  readonly services?: Readonly<Partial<Record<SurfaceName, string>>>
}

/** Calls the public interface of a hub with the login of one client. */
export class Hub {
  readonly #address: HubAddress
  readonly #transport: Transport

  /** `unbounded` names resources that no limit covers on the machine of a node; undefined for other clients. */
  constructor(address: HubAddress, credentials: ClientCredentials, unbounded?: readonly string[]) {
    this.#address = address
    this.#transport = new Transport({
      credentials: loginAt(this.#of('identity'), credentials),
      headers: () => ({ ...traceHeaders(), ...nodeHeaders(unbounded) }),
    })
  }

  /** Sends a request and parses the JSON answer. */
  async json<T>(service: SurfaceName, path: string, call?: Call): Promise<T> {
    return jsonOf<T>(await this.open(service, path, call))
  }

  /** Sends a request; the caller reads the body. A refused token is renewed once. */
  open(service: SurfaceName, path: string, call: Call = {}): Promise<Response> {
    return requestHub(this.#transport, this.#of(service) + path, call)
  }

  #of(service: SurfaceName): string {
    return this.#address.services?.[service] ?? this.#address.url + SURFACE_PREFIXES[service]
  }
}

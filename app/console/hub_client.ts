import type { SurfaceName } from '#configuration/surfaces'
import { traceHeaders } from '#tracing/tracing'
import type { HubAddresses } from './hub_addresses.js'
import { HubFailure } from './hub_failure.js'

const TIMEOUT_MS = 10_000

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

/** A page of a collection. */
export interface Listing<Row> {
  readonly data: Row[]
  readonly meta: { readonly total: number }
}

/** The origin of a request to the console, so that services record the browser and not the console. */
interface RequestOrigin {
  readonly address: string
  readonly userAgent: string | undefined
  readonly requestId: string
}

interface HubClientOptions {
  readonly addresses: Pick<HubAddresses, 'of'>
  readonly token: string
  readonly origin: RequestOrigin
  /** Aborts when the browser has disconnected. */
  readonly signal: AbortSignal
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined for streams, which last as long as the browser reads. */
  readonly timeoutMs?: number | undefined
}

/** Calls the public interface with the token of a user, so the console has exactly the permissions of the user. */
export class HubClient {
  readonly #options: HubClientOptions

  constructor(options: HubClientOptions) {
    this.#options = options
  }

  /** The address of a service, for its sockets. */
  address(service: SurfaceName): string {
    return this.#options.addresses.of(service)
  }

  /** Reads JSON. */
  async read<T>(service: SurfaceName, path: string, query?: QueryValues): Promise<T> {
    return this.#json<T>(service, path + queryText(query))
  }

  /** Reads a page of a collection. */
  list<Row>(service: SurfaceName, path: string, query?: QueryValues): Promise<Listing<Row>> {
    return this.read<Listing<Row>>(service, path, query)
  }

  post<T>(
    service: SurfaceName,
    path: string,
    body: object = {},
    timeoutMs = TIMEOUT_MS
  ): Promise<T> {
    return this.#json<T>(service, path, { method: 'POST', body, timeoutMs })
  }

  patch<T>(service: SurfaceName, path: string, body: object): Promise<T> {
    return this.#json<T>(service, path, { method: 'PATCH', body })
  }

  delete<T>(service: SurfaceName, path: string): Promise<T> {
    return this.#json<T>(service, path, { method: 'DELETE' })
  }

  /** Opens a download or a stream. The caller reads or cancels the body. */
  async open(
    service: SurfaceName,
    path: string,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<Response> {
    const response = await this.#send(service, path, { headers, timeoutMs: undefined })
    return response.ok ? response : this.#refuse(response)
  }

  /** The value, or undefined if the user may not see it or it does not exist. */
  async optional<T>(reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading
    } catch (error) {
      if (error instanceof HubFailure && error.isHidden) {
        return undefined
      }
      throw error
    }
  }

  async #json<T>(service: SurfaceName, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.#send(service, path, { timeoutMs: TIMEOUT_MS, ...options })
    if (!response.ok) {
      return this.#refuse(response)
    }
    const text = await response.text()
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  async #refuse(response: Response): Promise<never> {
    const body: unknown = await response.json().catch(() => undefined)
    throw HubFailure.of(response.status, body)
  }

  async #send(
    service: SurfaceName,
    path: string,
    { method = 'GET', body, headers, timeoutMs }: RequestOptions
  ): Promise<Response> {
    const { addresses, token, origin, signal } = this.#options
    const limits = timeoutMs === undefined ? [signal] : [signal, AbortSignal.timeout(timeoutMs)]
    try {
      return await fetch(addresses.of(service) + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.any(limits),
        headers: {
          'accept': 'application/json',
          'authorization': `Bearer ${token}`,
          'x-forwarded-for': origin.address,
          'x-request-id': origin.requestId,
          ...(origin.userAgent !== undefined && { 'user-agent': origin.userAgent }),
          ...(body && { 'content-type': 'application/json' }),
          ...traceHeaders(),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      })
    } catch (cause) {
      throw HubFailure.unreachable(service, cause)
    }
  }
}

function queryText(query: QueryValues = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      parameters.append(name, String(value))
    }
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

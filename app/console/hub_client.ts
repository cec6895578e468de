import { readJson } from '#client/body'
import { fixedToken } from '#client/credentials'
import { Transport, type Call, type QueryValues } from '#client/transport'
import type { SurfaceName } from '#configuration/surfaces'
import { traceHeaders } from '#tracing/tracing'
import type { HubAddresses } from './hub_addresses.js'
import { HubFailure } from './hub_failure.js'

const TIMEOUT_MS = 10_000

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

/** Calls the public interface with the token of a user, so the console has exactly the permissions of the user. */
export class HubClient {
  readonly #options: HubClientOptions
  readonly #transport: Transport

  constructor(options: HubClientOptions) {
    const { token, origin } = options
    this.#options = options
    this.#transport = new Transport({
      credentials: fixedToken(token),
      headers: () => ({ ...headersOf(origin), ...traceHeaders() }),
    })
  }

  /** The address of a service, for its sockets. */
  address(service: SurfaceName): string {
    return this.#options.addresses.of(service)
  }

  /** Reads JSON. */
  async read<T>(service: SurfaceName, path: string, query?: QueryValues): Promise<T> {
    return this.#json<T>(service, path, { query })
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
    return this.#json<T>(service, path, { method: 'POST', json: body }, timeoutMs)
  }

  patch<T>(service: SurfaceName, path: string, body: object): Promise<T> {
    return this.#json<T>(service, path, { method: 'PATCH', json: body })
  }

  delete<T>(service: SurfaceName, path: string): Promise<T> {
    return this.#json<T>(service, path, { method: 'DELETE' })
  }

  /** Opens a download or a stream. The caller reads or cancels the body. */
  open(
    service: SurfaceName,
    path: string,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<Response> {
    return this.#open(service, path, { headers })
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

  async #json<T>(
    service: SurfaceName,
    path: string,
    call: Call,
    timeoutMs = TIMEOUT_MS
  ): Promise<T> {
    const limits = { timeoutMs, answerMs: timeoutMs }
    return readJson<T>(await this.#open(service, path, { ...call, ...limits }))
  }

  async #open(service: SurfaceName, path: string, call: Call): Promise<Response> {
    const { addresses, signal } = this.#options
    try {
      return await this.#transport.open(addresses.of(service) + path, { ...call, signal })
    } catch (error) {
      throw HubFailure.of(error, service)
    }
  }
}

const headersOf = ({ address, requestId, userAgent }: RequestOrigin): Record<string, string> => ({
  'x-forwarded-for': address,
  'x-request-id': requestId,
  ...(userAgent !== undefined && { 'user-agent': userAgent }),
})

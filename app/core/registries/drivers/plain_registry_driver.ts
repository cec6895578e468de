import {
  RegistryFailure,
  type LinkedProject,
  type RegistryAccess,
  type DesiredProject,
} from '#core/registries/registry_driver'
import { hostRules, type HostRules } from '#core/registries/host_rules'
import { tryParseJson } from '#kernel/try_parse_json'
import { isTransactionOpen } from '#records/transaction_scope'
import type { RegistryResponse } from './registry_http.js'
import { NullDriver } from './null_driver.js'
import { baseUrlOf, callRegistry } from './call_registry.js'

const TIMEOUT_MS = 10_000
const UNAUTHORIZED = 401
const HARBOR_SERVICE = 'harbor-registry'

interface PlainRegistryDriverOptions {
  readonly limitMs?: number
  readonly rules?: HostRules
}

/** The parameters of a `WWW-Authenticate: Bearer` challenge. */
interface Challenge {
  readonly realm: string
  readonly service: string
}

/**
 * A registry without projects, accounts or webhooks. A link only checks that the registry accepts the account of the
 * platform.
 */
export class PlainRegistryDriver extends NullDriver {
  readonly #host: string
  readonly #base: URL
  readonly #account: string
  readonly #limitMs: number
  readonly #rules: HostRules

  constructor(access: RegistryAccess, options: PlainRegistryDriverOptions = {}) {
    super()
    this.#host = access.host
    this.#base = baseUrlOf(access.host)
    const account = Buffer.from(`${access.accountName}:${access.accountSecret}`)
    this.#account = `Basic ${account.toString('base64')}`
    this.#limitMs = options.limitMs ?? TIMEOUT_MS
    this.#rules = options.rules ?? hostRules()
  }

  /** Returns whether the host is a registry that is not part of Harbor. */
  async detect(): Promise<boolean> {
    const response = await this.#requestBase({})
    const { service } = parseChallenge(response) ?? {}
    return isRegistry(response) && service !== HARBOR_SERVICE
  }

  override async requireAccount(): Promise<void> {
    const { status, headers, text } = await this.#requestBase({ authorization: this.#account })
    const challenge = parseChallenge({ status, headers, text })
    const isAuthenticated = challenge ? await this.#hasToken(challenge) : isSuccess(status)
    if (!isAuthenticated) {
      throw new RegistryFailure(`The registry answered GET v2 with ${status}`, true, {
        isRefused: status === UNAUTHORIZED,
      })
    }
  }

  override async link({ name }: DesiredProject): Promise<LinkedProject> {
    await this.requireAccount()
    return { id: name, account: null, webhookId: null, isPublic: null }
  }

  /** The token service may be another host, but must not receive the account in plain text. */
  async #hasToken({ realm, service }: Challenge): Promise<boolean> {
    const url = URL.parse(realm)
    if (!url || (url.protocol !== 'https:' && url.host !== this.#base.host)) {
      throw new RegistryFailure('The token service of the registry does not use https', true)
    }
    url.searchParams.set('service', service)
    const response = await this.#exchange('the request for a token', url, {
      authorization: this.#account,
    })
    const body = isSuccess(response.status) ? tryParseJson(response.text) : undefined
    const { token, access_token: accessToken } = (body ?? {}) as Record<string, unknown>
    return typeof (token ?? accessToken) === 'string'
  }

  #requestBase(headers: Record<string, string>): Promise<RegistryResponse> {
    return this.#exchange('GET v2', new URL('v2/', this.#base), headers)
  }

  #exchange(
    operation: string,
    url: URL,
    headers: Record<string, string>
  ): Promise<RegistryResponse> {
    if (isTransactionOpen()) {
      throw new TypeError('A registry was called while a transaction was open')
    }
    const host = url.host === this.#base.host ? this.#host : url.host
    const question = { url, host, method: 'GET', headers, body: undefined, limitMs: this.#limitMs }
    return callRegistry(operation, question, this.#rules)
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300

/**
 * Checks the response to `GET /v2/` of the OCI distribution specification. Docker's version header is optional; without it,
 * an HTML page is not a registry.
 */
function isRegistry({ status, headers }: RegistryResponse): boolean {
  const isResponsive =
    isSuccess(status) || (status === UNAUTHORIZED && headers['www-authenticate'] !== undefined)
  const version = headers['docker-distribution-api-version']
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '')
  return (
    isResponsive && (version === undefined ? !isPage : String(version).startsWith('registry/2'))
  )
}

function parseChallenge({ status, headers }: RegistryResponse): Challenge | undefined {
  const header = headers['www-authenticate'] ?? ''
  const valueOf = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(header)?.[1]
  const realm = valueOf('realm')
  return status === UNAUTHORIZED && /^bearer /i.test(header) && realm !== undefined
    ? { realm, service: valueOf('service') ?? '' }
    : undefined
}

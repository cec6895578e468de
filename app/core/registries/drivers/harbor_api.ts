import { tryParseJson } from '#kernel/try_parse_json'
import { isTransactionOpen } from '#records/transaction_scope'

import { UnknownRegistryType, RegistryFailure } from '#core/registries/registry_driver'
import { hostRules, type HostRules } from '#core/registries/host_rules'
import type { RegistryResponse } from './registry_http.js'
import { baseUrlOf, callRegistry } from './call_registry.js'

const TIMEOUT_MS = 10_000
const JSON_TYPE = /^application\/(problem\+)?json\b/i

/** Statuses that other requests would get as well: the account is rejected, or the registry is overloaded. */
const REGISTRY_WIDE = [401, 403, 429]
const REFUSALS = [401, 403]

export interface HarborAccount {
  readonly host: string
  readonly accountName: string
  readonly accountSecret: string
}

interface HarborApiOptions {
  readonly limitMs?: number
  readonly rules?: HostRules
}

interface HarborRequest {
  readonly body?: object
  /** Statuses besides success that are not failures. */
  readonly expected?: readonly number[]
  /** Whether to send the request without the account. */
  readonly isAnonymous?: boolean
}

export interface HarborResponse {
  readonly status: number
  /** Undefined for an empty body. */
  readonly body: any
  readonly location: string | null
}

/**
 * A client of Harbor's REST API v2. A response that does not have Harbor's format is a failure: a 404 page of a proxy does
 * not mean that a project is missing.
 */
export class HarborApi {
  readonly #host: string
  readonly #base: URL
  readonly #authorization: string
  readonly #limitMs: number
  readonly #rules: HostRules

  constructor({ host, accountName, accountSecret }: HarborAccount, options: HarborApiOptions = {}) {
    this.#host = host
    this.#base = new URL('api/v2.0/', baseUrlOf(host))
    const account = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
    this.#authorization = `Basic ${account}`
    this.#limitMs = options.limitMs ?? TIMEOUT_MS
    this.#rules = options.rules ?? hostRules()
  }

  /** Whether certificates are not verified, neither that of the registry nor ours in its webhooks. */
  get isInsecure(): boolean {
    return this.#rules.isInsecure(this.#host)
  }

  async request(
    method: string,
    path: string,
    request: HarborRequest = {}
  ): Promise<HarborResponse> {
    if (isTransactionOpen()) {
      throw new TypeError('A registry was called while a transaction was open')
    }
    const operation = `${method} ${path.replace(/\?.*/, '')}`
    const response = await this.#exchange(operation, method, path, request)
    const { status, headers } = response
    if (isSuccess(status) || request.expected?.includes(status)) {
      return { status, body: parseBody(operation, response), location: headers.location ?? null }
    }
    const problem = `The registry answered ${operation} with ${status}`
    if (status < 500 && !hasErrorBody(response)) {
      throw new UnknownRegistryType(problem)
    }
    throw new RegistryFailure(problem, status >= 500 || REGISTRY_WIDE.includes(status), {
      isRefused: REFUSALS.includes(status),
    })
  }

  async #exchange(
    operation: string,
    method: string,
    path: string,
    { body, isAnonymous }: HarborRequest
  ) {
    const request = {
      url: new URL(path, this.#base),
      host: this.#host,
      method,
      headers: {
        ...(!isAnonymous && { authorization: this.#authorization }),
        'accept': 'application/json',
        'x-is-resource-name': 'true',
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      limitMs: this.#limitMs,
    }
    return callRegistry(operation, request, this.#rules)
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300

const isJson = ({ headers }: RegistryResponse) => JSON_TYPE.test(headers['content-type'] ?? '')

function parseBody(operation: string, response: RegistryResponse): unknown {
  const { status, text } = response
  if (text === '' && isSuccess(status)) {
    return undefined
  }
  const body = isJson(response) ? tryParseJson(text) : undefined
  if (body === undefined || (!isSuccess(status) && !hasErrorBody(response))) {
    throw new UnknownRegistryType(`The response to ${operation} is not in the format of Harbor`)
  }
  return body
}

/** All error responses of Harbor have a list of errors. */
const hasErrorBody = (response: RegistryResponse) =>
  isJson(response) && Array.isArray((tryParseJson(response.text) as any)?.errors)

import { tryParseJson } from '#kernel/try_parse_json'
import { isTransactionOpen } from '#records/transaction_scope'

import { UnknownRegistryType, RegistryFailure } from '#core/registries/registry_driver'
import { hostRules, type HostRules } from '#core/registries/host_rules'
import type { Answered } from './https_call.js'
import { addressOf, callRegistry } from './registry_call.js'

/** How long one answer may take. */
const LIMIT_MS = 10_000
const JSON_TYPE = /^application\/(problem\+)?json\b/i

/** Said by registries that are away, overloaded, or do not know us: whatever is asked next is answered the same. */
const CONCERNS_ALL = [401, 403, 429]

export interface HarborAccount {
  readonly host: string
  readonly accountName: string
  readonly accountSecret: string
}

interface HarborApiOptions {
  readonly limitMs?: number
  readonly rules?: HostRules
}

interface Question {
  readonly body?: object
  /** Statuses that are answers and not failures, besides success. */
  readonly expected?: readonly number[]
  /** Whether the account stays out of it. */
  readonly isAnonymous?: boolean
}

export interface HarborAnswer {
  readonly status: number
  /** Undefined where nothing was sent. */
  readonly body: any
  readonly location: string | null
}

/**
 * Harbor's REST API v2 as the account of a registry. What does not answer as Harbor does is taken for no answer: the page
 * of a proxy that says 404 means nothing.
 */
export class HarborApi {
  readonly #host: string
  readonly #base: URL
  readonly #authorization: string
  readonly #limitMs: number
  readonly #rules: HostRules

  constructor({ host, accountName, accountSecret }: HarborAccount, options: HarborApiOptions = {}) {
    this.#host = host
    this.#base = new URL('api/v2.0/', addressOf(host))
    const account = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
    this.#authorization = `Basic ${account}`
    this.#limitMs = options.limitMs ?? LIMIT_MS
    this.#rules = options.rules ?? hostRules
  }

  /** Whether the certificate of this registry is not to be verified, nor ours by it. */
  get isInsecure(): boolean {
    return this.#rules.isInsecure(this.#host)
  }

  async ask(method: string, path: string, question: Question = {}): Promise<HarborAnswer> {
    if (isTransactionOpen()) {
      throw new TypeError('A registry was called while a transaction was open')
    }
    const asked = `${method} ${path.replace(/\?.*/, '')}`
    const answered = await this.#exchange(asked, method, path, question)
    const { status, headers } = answered
    if (isSuccess(status) || question.expected?.includes(status)) {
      return { status, body: bodyOf(asked, answered), location: headers.location ?? null }
    }
    const problem = `The registry answered ${asked} with ${status}`
    if (status < 500 && !saysErrors(answered)) {
      throw new UnknownRegistryType(problem)
    }
    throw new RegistryFailure(problem, status >= 500 || CONCERNS_ALL.includes(status))
  }

  async #exchange(asked: string, method: string, path: string, { body, isAnonymous }: Question) {
    const question = {
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
    return callRegistry(asked, question, this.#rules)
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300

const isJson = ({ headers }: Answered) => JSON_TYPE.test(headers['content-type'] ?? '')

function bodyOf(asked: string, answered: Answered): unknown {
  const { status, text } = answered
  if (text === '' && isSuccess(status)) {
    return undefined
  }
  const body = isJson(answered) ? tryParseJson(text) : undefined
  if (body === undefined || (!isSuccess(status) && !saysErrors(answered))) {
    throw new UnknownRegistryType(`What answered ${asked} is not Harbor`)
  }
  return body
}

/** Harbor says what is wrong in one form, whatever is wrong. */
const saysErrors = (answered: Answered) =>
  isJson(answered) && Array.isArray((tryParseJson(answered.text) as any)?.errors)

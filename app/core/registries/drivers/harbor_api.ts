import { isTransactionOpen } from '#records/open_transaction'

import { RegistryFailure } from '#core/registries/driver'
import { hostRules, urlOf, type HostRules } from '#core/registries/host_rules'
import { call, HostRefused, type Answered } from './https_call.js'

/** How long one answer may take. */
const LIMIT_MS = 10_000
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i
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
    this.#base = baseOf(host)
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
    const answered = await this.#exchange(asked, method, path, question.body)
    const { status, headers } = answered
    if (isSuccess(status) || question.expected?.includes(status)) {
      return { status, body: bodyOf(asked, answered), location: headers.location ?? null }
    }
    const concernsAll = status >= 500 || CONCERNS_ALL.includes(status) || !isJson(answered)
    throw new RegistryFailure(`The registry answered ${asked} with ${status}`, concernsAll)
  }

  async #exchange(asked: string, method: string, path: string, body: object | undefined) {
    const question = {
      url: new URL(path, this.#base),
      host: this.#host,
      method,
      headers: {
        'authorization': this.#authorization,
        'accept': 'application/json',
        'x-is-resource-name': 'true',
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      limitMs: this.#limitMs,
    }
    try {
      return await call(question, this.#rules)
    } catch (error) {
      const problem =
        error instanceof HostRefused
          ? `The registry was not asked: ${error.message}`
          : `The registry did not answer ${asked}`
      throw new RegistryFailure(problem, true, { cause: error })
    }
  }
}

/** Never in plain text over a network; registries on this machine seldom have a certificate. */
function baseOf(host: string): URL {
  const url = urlOf(host)
  if (!url) {
    throw new RegistryFailure('The registry has no host that can be called', true)
  }
  const scheme = LOOPBACK.test(url.hostname) ? 'http' : 'https'
  return new URL(`${scheme}://${host}/api/v2.0/`)
}

const isSuccess = (status: number) => status >= 200 && status < 300

const isJson = ({ headers }: Answered) => JSON_TYPE.test(headers['content-type'] ?? '')

function bodyOf(asked: string, answered: Answered): unknown {
  const { status, text } = answered
  if (text === '' && isSuccess(status)) {
    return undefined
  }
  const body = isJson(answered) ? parsed(text) : undefined
  if (body === undefined || (!isSuccess(status) && !Array.isArray((body as any)?.errors))) {
    throw new RegistryFailure(`What answered ${asked} is not Harbor`, true)
  }
  return body
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { isTransactionOpen } from '#records/open_transaction'

import { RegistryFailure } from '../driver.js'

/** How long one answer may take. */
const LIMIT_MS = 10_000
const LARGEST_ANSWER = 1024 * 1024
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i
const JSON_TYPE = /^application\/(problem\+)?json\b/i

/** Said by registries that are away, overloaded, or do not know us: whatever is asked next is answered the same. */
const CONCERNS_ALL = [401, 403, 429]

export interface HarborAccount {
  readonly host: string
  readonly accountName: string
  readonly accountSecret: string
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
  readonly #base: URL
  readonly #authorization: string
  readonly #limitMs: number

  constructor({ host, accountName, accountSecret }: HarborAccount, limitMs = LIMIT_MS) {
    this.#base = baseOf(host)
    const account = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
    this.#authorization = `Basic ${account}`
    this.#limitMs = limitMs
  }

  async ask(method: string, path: string, question: Question = {}): Promise<HarborAnswer> {
    if (isTransactionOpen()) {
      throw new TypeError('A registry was called while a transaction was open')
    }
    const asked = `${method} ${path.replace(/\?.*/, '')}`
    const { response, text } = await this.#exchange(asked, method, path, question.body)
    const { status, headers } = response
    if (response.ok || question.expected?.includes(status)) {
      const body = bodyOf(asked, response, text)
      return { status, body, location: headers.get('location') }
    }
    const concernsAll = status >= 500 || CONCERNS_ALL.includes(status) || !isJson(response)
    throw new RegistryFailure(`The registry answered ${asked} with ${status}`, concernsAll)
  }

  async #exchange(asked: string, method: string, path: string, body: object | undefined) {
    try {
      const response = await fetch(new URL(path, this.#base), {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#limitMs),
        headers: {
          'authorization': this.#authorization,
          'accept': 'application/json',
          'x-is-resource-name': 'true',
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
      })
      return { response, text: await textOf(response) }
    } catch (error) {
      throw new RegistryFailure(`The registry did not answer ${asked}`, true, { cause: error })
    }
  }
}

/** Never in plain text over a network; registries on this machine seldom have a certificate. */
function baseOf(host: string): URL {
  const scheme = LOOPBACK.test(host) ? 'http' : 'https'
  const base = URL.parse(`${scheme}://${host}/api/v2.0/`)
  if (!base || base.pathname !== '/api/v2.0/' || base.username || base.search || base.hash) {
    throw new RegistryFailure('The registry has no host that can be called', true)
  }
  return base
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > LARGEST_ANSWER) {
      throw new RangeError('The answer is too long')
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const isJson = ({ headers }: Response) => JSON_TYPE.test(headers.get('content-type') ?? '')

function bodyOf(asked: string, response: Response, text: string): unknown {
  if (text === '' && response.ok) {
    return undefined
  }
  const body = isJson(response) ? parsed(text) : undefined
  if (body === undefined || (!response.ok && !Array.isArray((body as any)?.errors))) {
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

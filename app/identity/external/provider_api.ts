import { IdentityUnavailable } from '#http/failures'

import { ask, type Question, type Reply } from './ask.js'
import type { OwnToken } from './own_token.js'

const PAGE = 50
const ATTEMPTS_AT_A_STILL_LIST = 3

/**
 * The provider's records, asked for with the platform's own token.
 */
export class ProviderApi {
  readonly #url: string
  readonly #token: OwnToken

  constructor(url: string, token: OwnToken) {
    this.#url = url
    this.#token = token
  }

  /** Sends one request; a token that was refused is replaced once. */
  async call(path: string, question: Question = {}): Promise<Reply> {
    const token = await this.#token.get()
    const expected = [...(question.expected ?? [200]), 401]
    const reply = await this.#send(path, { ...question, expected }, token)
    if (reply.status !== 401) {
      return reply
    }
    this.#token.discard(token)
    return this.#send(path, question, await this.#token.get())
  }

  /** All records of a list. Records that come and go between its pages must not hide others, so it is read until it kept still. */
  async list(path: string, query: Record<string, string> = {}): Promise<any[]> {
    for (let attempt = 0; attempt < ATTEMPTS_AT_A_STILL_LIST; attempt++) {
      const records = await this.#readPages(path, query)
      if (records) {
        return records
      }
    }
    const cause = new Error(`the list ${path} of the identity provider changed while it was read`)
    throw new IdentityUnavailable(undefined, { cause })
  }

  async #readPages(path: string, query: Record<string, string>): Promise<any[] | undefined> {
    const records = new Map<unknown, any>()
    let read = 0
    let total: number
    do {
      const page = { 'sort': 'createdAt', 'page[limit]': `${PAGE}`, 'page[offset]': `${read}` }
      const { body } = await this.call(`${path}?${new URLSearchParams({ ...query, ...page })}`)
      const { data, meta } = listIn(body, path)
      data.forEach((record) => records.set(record.id, record))
      read += data.length
      total = meta.total
      if (data.length === 0) {
        break
      }
    } while (read < total)
    return records.size === total ? [...records.values()] : undefined
  }

  #send(path: string, question: Question, token: string): Promise<Reply> {
    return ask(this.#url + path, { ...question, authorization: `Bearer ${token}` })
  }
}

function listIn(body: any, path: string): { data: any[]; meta: { total: number } } {
  if (!Array.isArray(body?.data) || typeof body.meta?.total !== 'number') {
    const cause = new Error(`${path} of the identity provider is no list of records`)
    throw new IdentityUnavailable(undefined, { cause })
  }
  return body
}

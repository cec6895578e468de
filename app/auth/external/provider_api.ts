import { IdentityUnavailable } from '#kernel/failures'

import { ask, type Question, type Reply } from './ask.js'
import type { OwnToken } from './own_token.js'

const PAGE = 50
const ATTEMPTS_AT_A_STILL_LIST = 3

/** For what a provider may keep to itself, or not have at all. */
export const SHOWN_OR_NOT: readonly number[] = [200, 403, 404]

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

  /** All records of a list. */
  async list(path: string, query: Record<string, string> = {}): Promise<any[]> {
    return (await this.#listOf(path, query, [200]))!
  }

  /** As `list`; undefined where the platform may not read it, or there is no such list. */
  listIfShown(path: string, query: Record<string, string> = {}): Promise<any[] | undefined> {
    return this.#listOf(path, query, SHOWN_OR_NOT)
  }

  /** Read again where some of it moved meanwhile: those between two pages would be left out. */
  async #listOf(path: string, query: Record<string, string>, expected: readonly number[]) {
    for (let attempt = 0; attempt < ATTEMPTS_AT_A_STILL_LIST; attempt++) {
      const records = await this.#readPages(path, query, expected)
      if (records !== 'moved') {
        return records
      }
    }
    const cause = new Error(`the list ${path} of the identity provider changed while it was read`)
    throw new IdentityUnavailable(undefined, { cause })
  }

  /** Each page begins with the last record of the one before, where nothing moved. */
  async #readPages(
    path: string,
    query: Record<string, string>,
    expected: readonly number[]
  ): Promise<any[] | 'moved' | undefined> {
    const records: any[] = []
    for (;;) {
      const offset = Math.max(0, records.length - 1)
      const page = { 'sort': 'createdAt', 'page[limit]': `${PAGE}`, 'page[offset]': `${offset}` }
      const address = `${path}?${new URLSearchParams({ ...query, ...page })}`
      const { status, body } = await this.call(address, { expected })
      if (status !== 200) {
        return undefined
      }
      const { data, meta } = listIn(body, path)
      if (records.length > 0 && records.pop().id !== data[0]?.id) {
        return 'moved'
      }
      records.push(...data)
      if (records.length >= meta.total || data.length <= 1) {
        return records
      }
    }
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

import { IdentityUnavailable } from '#kernel/failures'

import { sendRequest, type ProviderRequest, type ProviderResponse } from './provider_request.js'
import type { OwnToken } from './own_token.js'

const PAGE = 50
const MAX_LIST_ATTEMPTS = 3

/** Statuses for records that may be hidden or may not exist. */
export const OPTIONAL_STATUSES: readonly number[] = [200, 403, 404]

/** The records API of the provider, called with the platform's own token. */
export class ProviderApi {
  readonly #url: string
  readonly #token: OwnToken

  constructor(url: string, token: OwnToken) {
    this.#url = url
    this.#token = token
  }

  /** Sends a request. A rejected token is replaced once. */
  async call(path: string, request: ProviderRequest = {}): Promise<ProviderResponse> {
    const token = await this.#token.get()
    const expected = [...(request.expected ?? [200]), 401]
    const response = await this.#send(path, { ...request, expected }, token)
    if (response.status !== 401) {
      return response
    }
    this.#token.discard(token)
    return this.#send(path, request, await this.#token.get())
  }

  /** All records of a list. */
  async list(path: string, query: Record<string, string> = {}): Promise<any[]> {
    return (await this.#readList(path, query, [200]))!
  }

  /** Like `list`; undefined if the platform may not read the list or there is none. */
  listIfReadable(path: string, query: Record<string, string> = {}): Promise<any[] | undefined> {
    return this.#readList(path, query, OPTIONAL_STATUSES)
  }

  /** Reads the list again if it changed meanwhile, since records between two pages could be missed. */
  async #readList(path: string, query: Record<string, string>, expected: readonly number[]) {
    for (let attempt = 0; attempt < MAX_LIST_ATTEMPTS; attempt++) {
      const records = await this.#readPages(path, query, expected)
      if (records !== 'moved') {
        return records
      }
    }
    const cause = new Error(
      `the list ${path} of the identity provider changed at each attempt to read it`
    )
    throw new IdentityUnavailable(undefined, { cause })
  }

  /** Each page starts with the last record of the one before, unless the list changed. */
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
      const { data, meta } = parseList(body, path)
      if (records.length > 0 && records.pop().id !== data[0]?.id) {
        return 'moved'
      }
      records.push(...data)
      if (records.length >= meta.total || data.length <= 1) {
        return records
      }
    }
  }

  #send(path: string, request: ProviderRequest, token: string): Promise<ProviderResponse> {
    return sendRequest(this.#url + path, { ...request, authorization: `Bearer ${token}` })
  }
}

function parseList(body: any, path: string): { data: any[]; meta: { total: number } } {
  if (!Array.isArray(body?.data) || typeof body.meta?.total !== 'number') {
    const cause = new Error(`${path} of the identity provider is not a list of records`)
    throw new IdentityUnavailable(undefined, { cause })
  }
  return body
}

import { RegistryResponseInvalid } from '#oci/errors'
import type { RegistryResponse } from './registry_response.js'
import type { RegistryClient } from './registry_client.js'

const MAX_PAGES = 1_000
const MAX_PAGE_BYTES = 4 * 1024 ** 2
const NEXT = /<([^>]+)>\s*;[^,]*\brel="?next"?/i

export interface ListRequest {
  readonly at: string
  readonly scopes: readonly string[]
  readonly accept: string
}

/** Reads all pages of a list. Returns undefined if the registry does not support it. */
export async function allPages(
  client: RegistryClient,
  { at, scopes, accept }: ListRequest
): Promise<Record<string, unknown>[] | undefined> {
  const pages: Record<string, unknown>[] = []
  let next: string | URL | undefined = at
  while (next !== undefined) {
    const response: RegistryResponse = await client.send({
      method: 'GET',
      at: next,
      scopes,
      headers: { accept },
      expected: [200, 400, 404, 405],
    })
    if (response.status !== 200) {
      response.discard()
      return undefined
    }
    const page = await response.json(MAX_PAGE_BYTES)
    if (!page || pages.push(page) > MAX_PAGES) {
      throw new RegistryResponseInvalid(`${client.host} did not return a list`)
    }
    next = nextPage(response)
  }
  return pages
}

function nextPage(response: RegistryResponse): URL | undefined {
  const [, address] = NEXT.exec(response.header('link') ?? '') ?? []
  const next = address === undefined ? null : URL.parse(address, response.url.href)
  return next?.origin === response.url.origin ? next : undefined
}

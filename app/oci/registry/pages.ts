import { RegistryConfused } from '#oci/errors'
import type { Answer } from './answer.js'
import type { RegistryClient } from './registry_client.js'

const MOST_PAGES = 1_000
const LARGEST_PAGE = 4 * 1024 ** 2
const NEXT = /<([^>]+)>\s*;[^,]*\brel="?next"?/i

export interface Listing {
  readonly at: string
  readonly scopes: readonly string[]
  readonly accept: string
}

/** All pages of a list; undefined where the registry does not have it. */
export async function allPages(
  client: RegistryClient,
  { at, scopes, accept }: Listing
): Promise<Record<string, unknown>[] | undefined> {
  const pages: Record<string, unknown>[] = []
  let next: string | URL | undefined = at
  while (next !== undefined) {
    const answer: Answer = await client.ask({
      method: 'GET',
      at: next,
      scopes,
      headers: { accept },
      expected: [200, 400, 404, 405],
    })
    if (answer.status !== 200) {
      answer.drop()
      return undefined
    }
    const page = await answer.json(LARGEST_PAGE)
    if (!page || pages.push(page) > MOST_PAGES) {
      throw new RegistryConfused(`${client.host} does not answer with a list`)
    }
    next = nextOf(answer)
  }
  return pages
}

function nextOf(answer: Answer): URL | undefined {
  const [, address] = NEXT.exec(answer.header('link') ?? '') ?? []
  const next = address === undefined ? null : URL.parse(address, answer.url.href)
  return next?.origin === answer.url.origin ? next : undefined
}

import { BodyUnusable } from '#client/body'
import type { SurfaceName } from '#configuration/surfaces'
import { shortId } from './formats.js'
import { HubFailure } from './hub_failure.js'
import type { Page } from './page.js'

/** More ids than a page shows, and few enough for a URL. */
const MAX_IDS = 50

interface NamedRow {
  readonly id: string
  readonly name: string
}

/** Names by id. Ids without a visible name are missing. */
export type Names = ReadonlyMap<string, string>

export const nodeNames = (page: Page, ids: Iterable<string | null | undefined>): Promise<Names> =>
  namesIn(page, 'core', '/nodes', ids)

export const realmNames = (page: Page, ids: Iterable<string | null | undefined>): Promise<Names> =>
  namesIn(page, 'identity', '/realms', ids)

export const userNames = (page: Page, ids: Iterable<string | null | undefined>): Promise<Names> =>
  namesIn(page, 'identity', '/users', ids)

/** The name of an id, or else the beginning of the id. */
export const nameIn = (names: Names, id: string): string => names.get(id) ?? shortId(id)

/**
 * Reads the names of the records on a page. Names are missing with an external provider, or if the user may not see
 * them.
 */
async function namesIn(
  { hub }: Page,
  service: SurfaceName,
  path: string,
  ids: Iterable<string | null | undefined>
): Promise<Names> {
  const known = [...new Set(ids)].filter((id) => typeof id === 'string').slice(0, MAX_IDS)
  if (known.length === 0) {
    return new Map()
  }
  const query = { 'filter[id]': known.join(), 'page[limit]': MAX_IDS }
  const rows = await hub.list<NamedRow>(service, path, query).catch(withoutNames)
  return new Map((rows?.data ?? []).map(({ id, name }) => [id, name]))
}

function withoutNames(error: unknown): undefined {
  if (!(error instanceof HubFailure || error instanceof BodyUnusable)) {
    throw error
  }
}

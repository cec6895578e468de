import { quoted } from '#console/lists'
import type { Page } from '#console/page'
import type { SurfaceName } from '#configuration/surfaces'
import { isUuid } from '#kernel/is_uuid'

interface RecordPlace {
  readonly service: SurfaceName
  readonly path: string
  /** The page of a record of this kind, if it has one. */
  readonly page?: string
}

/** The kinds of records with names, their collections in the interface, and their pages. */
const PLACES: Readonly<Record<string, RecordPlace>> = {
  node: { service: 'core', path: '/nodes', page: '/nodes' },
  project: { service: 'core', path: '/projects', page: '/projects' },
  analysis: { service: 'core', path: '/analyses', page: '/analyses' },
  registry: { service: 'core', path: '/registries' },
  masterImage: { service: 'core', path: '/master-images' },
  bucket: { service: 'storage', path: '/buckets' },
  realm: { service: 'identity', path: '/realms' },
  user: { service: 'identity', path: '/users', page: '/people/users' },
  client: { service: 'identity', path: '/clients', page: '/people/clients' },
  role: { service: 'identity', path: '/roles', page: '/people/roles' },
  permission: { service: 'identity', path: '/permissions', page: '/people/permissions' },
}

/** Kinds without names, which are also offered as filters. */
const OTHER_KINDS = [
  'projectNode',
  'analysisNode',
  'userRole',
  'rolePermission',
  'event',
  'deadLetter',
] as const

export const RECORD_KINDS = [...Object.keys(PLACES), ...OTHER_KINDS]

const MAX_SAME_NAME = 20

/** The page of a record, if its kind has one. */
export function pageOf(kind: string, id: string | null): string | undefined {
  const page = Object.hasOwn(PLACES, kind) ? PLACES[kind]!.page : undefined
  return page === undefined || id === null ? undefined : `${page}/${id}`
}

/** Resolves an id or a name to the ids of the records of a kind that the reader may see. */
export async function idsNamed(page: Page, kind: string, named: string): Promise<string[]> {
  if (isUuid(named) || !Object.hasOwn(PLACES, kind)) {
    return [named]
  }
  const { service, path } = PLACES[kind]!
  const query = {
    'filter': `eq(name,${quoted(named)})`,
    'page[limit]': MAX_SAME_NAME,
  }
  const found = await page.hub.optional(page.hub.list<{ id: string }>(service, path, query))
  return (found?.data ?? []).map(({ id }) => id)
}

/** Resolves a name to the ids of users and clients, in all realms that the reader sees. */
export async function actorsNamed(page: Page, named: string): Promise<string[]> {
  if (isUuid(named)) {
    return [named]
  }
  const ids = await Promise.all(['user', 'client'].map((kind) => idsNamed(page, kind, named)))
  return ids.flat().slice(0, MAX_SAME_NAME)
}

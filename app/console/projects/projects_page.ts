import { realmNames } from '#console/names'
import { addressWith, nameFilter, offsetOf, searchTextOf } from '#console/lists'
import type { Page, View } from '#console/page'

const LIMIT = 25

export interface ProjectRow {
  readonly id: string
  readonly name: string
  readonly displayName: string | null
  readonly description: string | null
  readonly nodes: number
  readonly analyses: number
  readonly createdAt: string
  readonly realmId: string
  readonly userId: string | null
}

/** Lists the projects with their size. */
export async function showProjects(page: Page): Promise<View> {
  const name = searchTextOf(page.query)
  const offset = offsetOf(page.query)
  const { data, meta } = await page.hub.list<ProjectRow>('core', '/projects', {
    'filter': name === '' ? undefined : nameFilter(name),
    'sort': '-createdAt',
    'page[limit]': LIMIT,
    'page[offset]': offset,
  })
  const realms = await realmNames(
    page,
    data.map(({ realmId }) => realmId)
  )
  return page.view('projects/list', {
    title: page.t('projects.title'),
    rows: data.map((project) => ({ ...project, realm: realms.get(project.realmId) })),
    name,
    total: meta.total,
    limit: LIMIT,
    offset,
    href: (at: number) => page.url(addressWith('/projects', { name, offset: at })),
  })
}

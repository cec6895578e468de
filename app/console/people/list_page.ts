import { addressWith, offsetOf, quoted, searchTextOf } from '#console/lists'
import type { Page } from '#console/page'
import type { PageHandler } from '#console/page_runner'

interface ListedRow {
  readonly id: string
  readonly name: string
  readonly displayName: string | null
  readonly active?: boolean
  readonly realm?: { readonly name: string } | null
}

const COLLECTIONS = ['users', 'clients', 'roles', 'permissions'] as const

type Collection = (typeof COLLECTIONS)[number]

const LIMIT = 50

/** The path of a list within the console. The first list is that of the users. */
const pathOf = (collection: Collection) =>
  collection === 'users' ? '/people' : `/people/${collection}`

/** Every account sees at least itself in the lists of users and clients; the other lists need a permission. */
const NEEDED: Readonly<Partial<Record<Collection, string>>> = {
  roles: 'role_read',
  permissions: 'permission_read',
}

/** The lists that a reader may open. */
const tabsFor = (page: Page) =>
  COLLECTIONS.filter((name) => NEEDED[name] === undefined || page.may(NEEDED[name])).map(
    (name) => ({
      name,
      path: pathOf(name),
    })
  )

/** A list of users, programs, roles or permissions with a search by name. */
export function listing(collection: Collection): PageHandler {
  return async (page: Page) => {
    const text = searchTextOf(page.query)
    const offset = offsetOf(page.query)
    const { data, meta } = await page.hub.list<ListedRow>('identity', `/${collection}`, {
      'filter': text === '' ? undefined : `contains(name,${quoted(text)})`,
      'include': 'realm',
      'sort': 'name',
      'page[limit]': LIMIT,
      'page[offset]': offset,
    })
    return page.view('people/list', {
      title: page.t(`people.${collection}.title`),
      collection,
      tabs: tabsFor(page),
      text,
      rows: data,
      hasDisplayNames: data.some(({ displayName }) => displayName !== null),
      pager: {
        total: meta.total,
        limit: LIMIT,
        offset,
        href: (start: number) =>
          page.url(addressWith(pathOf(collection), { name: text, offset: start })),
      },
      path: pathOf(collection),
      command:
        text === '' ? `hubctl get ${collection}` : `hubctl get ${collection} --filter name=~…~`,
    })
  }
}

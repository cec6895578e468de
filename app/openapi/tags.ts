import type { CataloguedRoute } from '#http/route_catalogue'
import type { Tag, TagGroup } from './document.js'

/** First path segments that concern the service instead of a kind of record. */
const ABOUT_THE_SERVICE = new Set(['', 'health', 'docs'])

/** The tag of an operation: its surface and its kind of record. */
export function tagName(route: CataloguedRoute): string {
  return `${route.surface.name} ${kindOf(route)}`
}

/** The distinct tags in the order of route declaration. */
export function tagsOf(routes: readonly CataloguedRoute[]): Tag[] {
  const names = new Map(routes.map((route) => [tagName(route), displayName(kindOf(route))]))
  return [...names].map(([name, shown]) => ({ 'name': name, 'x-displayName': shown }))
}

/** The tags grouped by surface. */
export function tagGroupsOf(routes: readonly CataloguedRoute[]): TagGroup[] {
  const bySurface = Object.groupBy(routes, ({ surface }) => surface.name)
  return Object.values(bySurface).map((own) => {
    const { title, summary } = own[0]!.surface
    return { name: title, description: summary, tags: [...new Set(own.map(tagName))] }
  })
}

function kindOf({ path }: CataloguedRoute): string {
  const first = path.split('/')[1] ?? ''
  return ABOUT_THE_SERVICE.has(first) ? 'service' : first
}

function displayName(kind: string): string {
  const words = kind.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

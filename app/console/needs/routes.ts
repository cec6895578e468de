import type { PageRoutes } from '#console/page_routes'
import { showNeeds } from './needs_page.js'

export function needsRoutes(pages: PageRoutes): void {
  pages.page(
    '/',
    'showNeeds',
    'Show open decisions of the user, stuck analyses, and findings',
    showNeeds
  )
}

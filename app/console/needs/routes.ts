import type { PageRoutes } from '#console/page_routes'
import { showNeeds } from './needs_page.js'

export function needsRoutes(pages: PageRoutes): void {
  pages.page('/', 'showNeeds', 'What waits for the user, and what is stuck', showNeeds)
}

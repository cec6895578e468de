import type { PageRoutes } from '#console/page_routes'
import { showNodes } from './nodes_page.js'

export function nodeRoutes(pages: PageRoutes): void {
  pages.page('/nodes', 'showNodes', 'The nodes, and whether they are online', showNodes)
}

import type { PageRoutes } from '#console/page_routes'
import { rotateSecret, showNode } from './node_page.js'
import { showNodes } from './nodes_page.js'

export function nodeRoutes(pages: PageRoutes): void {
  pages
    .page('/nodes', 'showNodes', 'List the nodes, and whether they are online', showNodes)
    .page('/nodes/:id', 'showNode', 'Show a node: its presence, its runs, and its secret', showNode)
    .action('/nodes/:id/secret', 'rotateNodeSecret', 'Replace the secret of a node', rotateSecret)
}

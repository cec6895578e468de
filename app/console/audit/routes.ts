import type { PageRoutes } from '#console/page_routes'
import { showEvent } from './event_page.js'
import { showEvents } from './events_page.js'
import { exportTrail } from './export_trail.js'
import { showProof, verifyTrail } from './proof_page.js'

export function auditRoutes(pages: PageRoutes): void {
  pages
    .page('/audit', 'showEvents', 'Search the audit trail, the newest events first', showEvents)
    .page('/audit/proof', 'showProof', 'Show when the audit trail was verified, and how', showProof)
    .action('/audit/proof', 'verifyTrail', 'Verify the audit trail', verifyTrail)
    .page(
      '/audit/export',
      'exportTrail',
      'Export the audit trail with its proof as a file',
      exportTrail
    )
    .page('/audit/events/:id', 'showEvent', 'Show an event', showEvent)
}

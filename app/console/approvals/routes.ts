import type { PageRoutes } from '#console/page_routes'
import { decide, showApproval } from './approval_page.js'

export function approvalRoutes(pages: PageRoutes): void {
  pages
    .page(
      '/approvals/:subject/:id',
      'showApproval',
      'Show a decision: what is requested, by whom, and what changed',
      showApproval
    )
    .action(
      '/approvals/:subject/:id',
      'decideApproval',
      'Approve or reject the participation of a node',
      decide
    )
}

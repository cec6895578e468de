import type { HttpContext } from '@adonisjs/core/http'

import type { Page, PageResult } from '#console/page'
import { sendBody } from '#console/send_body'

/** Sends the export of the trail as a file. */
export async function exportTrail(page: Page, ctx: HttpContext): Promise<PageResult> {
  const file = await page.hub.open('telemetry', '/events/export')
  ctx.response.header('content-type', file.headers.get('content-type') ?? 'application/x-ndjson')
  ctx.response.header('content-disposition', 'attachment; filename="events.ndjson"')
  return sendBody(ctx, file)
}

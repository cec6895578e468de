import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

import type { HttpContext } from '@adonisjs/core/http'

import { SENT, type Page, type PageResult } from '#console/page'
import { sendStream } from '#http/send_stream'

const READ_TIMEOUT_MS = 30_000

/** Passes the export of the trail on as it arrives: it can be larger than the memory. */
export async function exportTrail(page: Page, ctx: HttpContext): Promise<PageResult> {
  const { body, headers } = await page.hub.open('telemetry', '/events/export')
  ctx.response.header('content-type', headers.get('content-type') ?? 'application/x-ndjson')
  ctx.response.header('content-disposition', 'attachment; filename="events.ndjson"')
  const lines = Readable.fromWeb(body as ReadableStream<Uint8Array>)
  await sendStream(ctx, lines, { stallTimeoutMs: READ_TIMEOUT_MS })
  return SENT
}

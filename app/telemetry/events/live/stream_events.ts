import type { HttpContext } from '@adonisjs/core/http'

import { reportDroppedQuery } from '#http/dropped_keys'
import { originOf } from '#kernel/request_origin'
import { decode } from '#query/decode'
import { event } from '#telemetry/events/event'
import { EventService } from '#telemetry/events/event_service'
import { sendRecordStream } from '#auth/record_stream'

/** Streams events as they are stored. Accepts the filters of the list. */
export async function streamEvents(ctx: HttpContext): Promise<void> {
  const query = decode(event.declaration, ctx.request.parsedUrl.query ?? '')
  reportDroppedQuery(ctx, query.dropped)
  const events = await ctx.containerResolver.make(EventService)
  await sendRecordStream(ctx, event.name, (options) => events.tail(originOf(ctx), query, options))
}

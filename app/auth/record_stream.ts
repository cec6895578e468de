import type { HttpContext } from '@adonisjs/core/http'

import { sendEvents, type ServerSentEvent } from '#http/event_stream'
import { requestEndSignal } from './request_end.js'

/** One element of a stream. */
export interface StreamedRecord {
  /** JSON text. */
  readonly record: string
  /** The cursor to continue after this element. */
  readonly cursor: string
}

/** Where a stream starts, for a client that is cut off before the first element. */
interface StreamStart {
  readonly record?: undefined
  readonly cursor: string
}

/** Where a stream starts and when it ends. */
export interface StreamOptions {
  readonly signal: AbortSignal
  /** The cursor of the last element that the client has received. */
  readonly after: string | undefined
}

export type RecordStream = AsyncIterable<StreamedRecord | StreamStart>

/**
 * Streams records as server-sent events, after the last one that the client has received, until the client disconnects
 * or may not read them any more.
 */
export async function sendRecordStream(
  ctx: HttpContext,
  name: string,
  open: (follow: StreamOptions) => RecordStream | Promise<RecordStream>
): Promise<void> {
  const signal = await requestEndSignal(ctx)
  const records = await open({ signal, after: ctx.request.header('last-event-id') })
  await sendEvents(ctx, toEvents(name, records), signal)
}

async function* toEvents(name: string, records: RecordStream): AsyncGenerator<ServerSentEvent> {
  for await (const { record, cursor } of records) {
    yield { name, id: cursor, data: record }
  }
}

import type { HttpContext } from '@adonisjs/core/http'

import { sendEvents, type ServerSentEvent } from '#http/event_stream'
import { requestEndSignal } from './request_end.js'

/** What somebody follows, one by one. */
export interface StreamedRecord {
  /** As JSON text. */
  readonly record: string
  /** What those after this one are asked for with. */
  readonly cursor: string
}

/** Whence to follow, and how long. */
export interface StreamOptions {
  readonly signal: AbortSignal
  /** The cursor of the last one that was seen. */
  readonly after: string | undefined
}

/** Answers with what comes from now on, or after the one that the caller saw last, until the caller goes or may not see it any more. */
export async function sendRecordStream(
  ctx: HttpContext,
  name: string,
  open: (
    follow: StreamOptions
  ) => AsyncIterable<StreamedRecord> | Promise<AsyncIterable<StreamedRecord>>
): Promise<void> {
  const signal = await requestEndSignal(ctx)
  const records = await open({ signal, after: ctx.request.header('last-event-id') })
  await sendEvents(ctx, toEvents(name, records), signal)
}

async function* toEvents(
  name: string,
  records: AsyncIterable<StreamedRecord>
): AsyncGenerator<ServerSentEvent> {
  for await (const { record, cursor } of records) {
    yield { name, id: cursor, data: record }
  }
}

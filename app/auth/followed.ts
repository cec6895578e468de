import type { HttpContext } from '@adonisjs/core/http'

import { sendEvents, type ServerSentEvent } from '#http/event_stream'
import { untilGone } from './until_gone.js'

/** What somebody follows, one by one. */
export interface Followed {
  /** As JSON text. */
  readonly record: string
  /** What those after this one are asked for with. */
  readonly cursor: string
}

/** Whence to follow, and how long. */
export interface Follow {
  readonly signal: AbortSignal
  /** The cursor of the last one that was seen. */
  readonly after: string | undefined
}

/** Answers with what comes from now on, or after the one that the caller saw last, until the caller goes or may not see it any more. */
export async function sendFollowed(
  ctx: HttpContext,
  name: string,
  open: (follow: Follow) => AsyncIterable<Followed> | Promise<AsyncIterable<Followed>>
): Promise<void> {
  const signal = await untilGone(ctx)
  const followed = await open({ signal, after: ctx.request.header('last-event-id') })
  await sendEvents(ctx, named(name, followed), signal)
}

async function* named(
  name: string,
  followed: AsyncIterable<Followed>
): AsyncGenerator<ServerSentEvent> {
  for await (const { record, cursor } of followed) {
    yield { name, id: cursor, data: record }
  }
}

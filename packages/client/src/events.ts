import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream'

import { pause, pauseAfter, type Pauses } from './pause.js'

export interface FollowOptions {
  /** The id of the last event that is known. */
  readonly after?: string | undefined
  readonly signal: AbortSignal
  /** Whether the stream ends with a failure, instead of being opened again. */
  readonly isFinal?: (error: unknown, lastId: string | undefined) => boolean
  readonly pauses: Pauses
}

/** An event that is longer has no end. */
const MAX_EVENT_CHARACTERS = 16 * 1024 ** 2

/** The events of an answer until it ends. */
export function eventsIn({ body }: Pick<Response, 'body'>): ReadableStream<EventSourceMessage> {
  return (body ?? new Blob([]).stream())
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_EVENT_CHARACTERS }))
}

/** The header that resumes a stream after an event. */
const resumedAfter = (lastId: string | undefined): Record<string, string> => ({
  accept: 'text/event-stream',
  ...(lastId && { 'last-event-id': lastId }),
})

/** Yields events until the signal aborts. A stream that ends, for example with its token, is resumed after the last event. */
export async function* followEvents(
  open: (headers: Readonly<Record<string, string>>) => Promise<Response>,
  { after, signal, isFinal = () => false, pauses }: FollowOptions
): AsyncGenerator<EventSourceMessage> {
  let lastId = after
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      for await (const event of eventsIn(await open(resumedAfter(lastId)))) {
        failures = 0
        lastId = event.id ?? lastId
        yield event
      }
    } catch (error) {
      if (!signal.aborted && isFinal(error, lastId)) {
        throw error
      }
    }
    await pause(pauseAfter(failures + 1, pauses), signal)
  }
}

import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream'

import { pause, pauseAfter, type Pauses } from './pause.js'

export interface FollowOptions {
  /** The id of the last event that is known. */
  readonly after?: string | undefined
  readonly signal: AbortSignal
  /** Whether the stream ends with a failure, instead of being opened again. */
  readonly isFinal?: (error: unknown, lastId: string | undefined) => boolean
  readonly pauses: Pauses
  /** A connection without an event in this time is lost. */
  readonly silenceMs?: number
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
  open: (headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>,
  { after, signal, isFinal = () => false, pauses, silenceMs }: FollowOptions
): AsyncGenerator<EventSourceMessage> {
  let lastId = after
  for (let failures = 0; !signal.aborted; failures += 1) {
    const silence = new Silence(silenceMs)
    try {
      const connection = AbortSignal.any([signal, silence.signal])
      for await (const event of eventsIn(await open(resumedAfter(lastId), connection))) {
        silence.break()
        failures = 0
        lastId = event.id ?? lastId
        yield event
      }
    } catch (error) {
      if (!signal.aborted && isFinal(error, lastId)) {
        throw error
      }
    } finally {
      silence.end()
    }
    await pause(pauseAfter(failures + 1, pauses), signal)
  }
}

/** Aborts its signal when it was not broken for some time. */
class Silence {
  readonly #controller = new AbortController()
  readonly #ms: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ms: number | undefined) {
    this.#ms = ms
    this.break()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  break(): void {
    this.end()
    if (this.#ms !== undefined) {
      this.#timer = setTimeout(() => this.#controller.abort(), this.#ms)
    }
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

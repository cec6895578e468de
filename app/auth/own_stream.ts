import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream'

import { sleep, jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import type { Followed } from './followed.js'
import { ownFetch, type Elsewhere } from './own_fetch.js'

const COME_BACK: BackoffPolicy = { firstMs: 200, longestMs: 5_000 }

interface Stream {
  readonly path: string
  readonly signal: AbortSignal
  readonly after?: string | undefined
}

/**
 * Follows what a surface of another process streams, in the platform's own name, until the signal aborts. A stream that ends, as it
 * does with the token it was asked for with, is followed anew from where it was.
 */
export async function* ownStream(
  elsewhere: Elsewhere,
  { path, signal, after }: Stream
): AsyncGenerator<Followed> {
  let last = after
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const { id = '', data } of await opened(elsewhere, path, signal, last)) {
        failures = 0
        last = id
        yield { record: data, cursor: id }
      }
    } catch {
      // Whatever it was, it is asked for again.
    }
    await sleep(jitteredBackoff(failures + 1, COME_BACK), signal).catch(() => {})
  }
}

async function opened(
  elsewhere: Elsewhere,
  path: string,
  signal: AbortSignal,
  last: string | undefined
): Promise<ReadableStream<EventSourceMessage>> {
  const headers = { accept: 'text/event-stream', ...(last && { 'last-event-id': last }) }
  const response = await ownFetch(elsewhere, path, { headers, signal: () => signal })
  if (response.status !== 200 || !response.body) {
    throw new Error(`it answered with the status ${response.status}`)
  }
  return response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
}

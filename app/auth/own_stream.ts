import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream'

import { sleep, jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import type { StreamedRecord } from './record_stream.js'
import { ownFetch, type RemoteSurface } from './own_fetch.js'

const RETRY_BACKOFF: BackoffPolicy = { firstMs: 200, longestMs: 5_000 }

interface OwnStreamOptions {
  readonly path: string
  readonly signal: AbortSignal
  readonly after?: string | undefined
}

/**
 * Follows what a surface of another process streams, in the platform's own name, until the signal aborts. A stream that ends, as it
 * does with the token it was asked for with, is followed anew from where it was.
 */
export async function* ownStream(
  surface: RemoteSurface,
  { path, signal, after }: OwnStreamOptions
): AsyncGenerator<StreamedRecord> {
  let last = after
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const { id = '', data } of await openStream(surface, path, signal, last)) {
        failures = 0
        last = id
        yield { record: data, cursor: id }
      }
    } catch {
      // Whatever it was, it is asked for again.
    }
    await sleep(jitteredBackoff(failures + 1, RETRY_BACKOFF), signal).catch(() => {})
  }
}

async function openStream(
  surface: RemoteSurface,
  path: string,
  signal: AbortSignal,
  last: string | undefined
): Promise<ReadableStream<EventSourceMessage>> {
  const headers = { accept: 'text/event-stream', ...(last && { 'last-event-id': last }) }
  const response = await ownFetch(surface, path, { headers, signal: () => signal })
  if (response.status !== 200 || !response.body) {
    throw new Error(`it answered with the status ${response.status}`)
  }
  return response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
}

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
 * Reads a stream of a surface of another process until the signal aborts. A stream that ends, for example with its
 * token, is resumed after the last event.
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
      // The stream is resumed after any error.
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

import { followEvents } from '#client/events'
import type { StreamedRecord } from './record_stream.js'
import { transportTo, type RemoteSurface } from './remote_surface.js'

const PAUSES = { firstMs: 200, longestMs: 5_000 }

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
  const transport = transportTo(surface)
  const open = (headers: Readonly<Record<string, string>>) =>
    transport.open(surface.url + path, { headers, signal })
  for await (const { id = '', data } of followEvents(open, { after, signal, pauses: PAUSES })) {
    yield { record: data, cursor: id }
  }
}

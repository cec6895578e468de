import { EventSourceParserStream } from 'eventsource-parser/stream'

import type { SurfaceName } from '#configuration/surfaces'
import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import type { Api } from './api.js'

const RECONNECT_DELAY_MS = 2_000

/** Yields records as they arrive. A stream that ends is resumed after the last event. */
export async function* tailRecords<T>(
  api: Api,
  service: SurfaceName,
  path: string,
  query: URLSearchParams
): AsyncGenerator<T> {
  let lastEventId: string | undefined
  for (;;) {
    const events = await readEvents(api, service, path, query, lastEventId)
    for await (const { id, data } of events) {
      lastEventId = id ?? lastEventId
      yield JSON.parse(data) as T
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS))
  }
}

interface ServerSentEvent {
  readonly id: string | undefined
  readonly data: string
}

/** Reads one connection of a stream. A lost connection ends the generator, so that the caller reconnects. */
async function* readEvents(
  api: Api,
  service: SurfaceName,
  path: string,
  query: URLSearchParams,
  lastEventId: string | undefined
): AsyncGenerator<ServerSentEvent> {
  const response = await openStream(api, service, path, query, lastEventId)
  if (!response?.body) {
    return
  }
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
  try {
    for await (const { id, data } of events) {
      yield { id, data }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) {
      throw error
    }
  }
}

async function openStream(
  api: Api,
  service: SurfaceName,
  path: string,
  query: URLSearchParams,
  lastEventId: string | undefined
): Promise<Response | undefined> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  }
  try {
    return await api.open(service, path, { query, headers })
  } catch (error) {
    const isAway = error instanceof Problem && error.exitCode === EXIT.unreachable
    if (isAway && lastEventId !== undefined) {
      return undefined
    }
    throw error
  }
}

import { EventSourceParserStream } from 'eventsource-parser/stream'

import type { SurfaceName } from '#configuration/surfaces'
import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import type { Api } from './api.js'

const COME_BACK_AFTER_MS = 2_000

/** Records as they come in, until the caller stops. A stream that ends is opened again where it was. */
export async function* followed<T>(
  api: Api,
  service: SurfaceName,
  path: string,
  query: URLSearchParams
): AsyncGenerator<T> {
  let last: string | undefined
  for (;;) {
    const opened = await open(api, service, path, query, last)
    for await (const { id, data } of opened) {
      last = id ?? last
      yield JSON.parse(data) as T
    }
    await new Promise((resolve) => setTimeout(resolve, COME_BACK_AFTER_MS))
  }
}

interface Told {
  readonly id: string | undefined
  readonly data: string
}

/** What breaks off is taken up again; what cannot be begun is not waited for. */
async function* open(
  api: Api,
  service: SurfaceName,
  path: string,
  query: URLSearchParams,
  last: string | undefined
): AsyncGenerator<Told> {
  const response = await opening(api, service, path, query, last)
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

async function opening(
  api: Api,
  service: SurfaceName,
  path: string,
  query: URLSearchParams,
  last: string | undefined
): Promise<Response | undefined> {
  const headers = {
    accept: 'text/event-stream',
    ...(last !== undefined && { 'last-event-id': last }),
  }
  try {
    return await api.open(service, path, { query, headers })
  } catch (error) {
    const isAway = error instanceof Problem && error.exitCode === EXIT.unreachable
    if (isAway && last !== undefined) {
      return undefined
    }
    throw error
  }
}

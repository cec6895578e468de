import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

import type { HttpContext } from '@adonisjs/core/http'

import { drain } from '#kernel/drain'
import { EndSignal } from '#kernel/end_signal'

/** One event of a stream: its data is one line. */
export interface ServerSentEvent {
  readonly name: string
  /** What a client that comes back says where it was. */
  readonly id?: string
  readonly data: string
}

/** Proxies close connections on which nothing happens. */
const PING_EVERY_MS = 15_000
const RECONNECT_MS = 2_000

/** What the document of a list says that can be followed, behind what it lists. */
export const OR_STREAMED =
  '; with `Accept: text/event-stream` those that come in from now on, or after `Last-Event-ID`'

/** Whether the caller asks for what happens from now on, not for what there is. */
export function acceptsEventStream({ request }: HttpContext): boolean {
  const accepted = request.header('accept') ?? ''
  return request.method() === 'GET' && /(^|[\s,])text\/event-stream($|[\s,;])/i.test(accepted)
}

/** Over when the connection of a request ends, or the process stops. */
export function connectionEndSignal({ response: { response } }: HttpContext): EndSignal {
  const signal = new EndSignal()
  if (response.closed) {
    signal.end()
  } else {
    drain.register(signal)
    response.on('close', () => {
      drain.unregister(signal)
      signal.end()
    })
  }
  return signal
}

/**
 * Answers with events as they come, at the pace of the reader, until the signal aborts. The stream ends in order, so that its
 * reader comes back by itself.
 */
export async function sendEvents(
  { response, logger, request }: HttpContext,
  events: AsyncIterable<ServerSentEvent>,
  signal: AbortSignal
): Promise<void> {
  const { response: connection } = response
  response.header('content-type', 'text/event-stream; charset=utf-8')
  response.header('cache-control', 'no-store')
  response.header('x-accel-buffering', 'no')
  response.setRequestId()
  response.writeHead()
  connection.write(`retry: ${RECONNECT_MS}\n\n`)
  const ping = setInterval(() => connection.write(': \n\n'), PING_EVERY_MS)
  try {
    for await (const event of events) {
      if (signal.aborted) {
        break
      }
      await send(connection, event, signal)
    }
  } catch (error) {
    logger.warn({ err: error, path: request.url() }, 'a stream of events was cut off')
  } finally {
    clearInterval(ping)
    connection.end()
  }
}

async function send(
  connection: ServerResponse,
  { name, id, data }: ServerSentEvent,
  signal: AbortSignal
): Promise<void> {
  const line = id === undefined ? '' : `id: ${id}\n`
  if (!connection.write(`${line}event: ${name}\ndata: ${data}\n\n`)) {
    await once(connection, 'drain', { signal }).catch(() => {})
  }
}

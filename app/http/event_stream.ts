import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

import type { HttpContext } from '@adonisjs/core/http'

import { drain } from '#kernel/drain'
import { EndSignal } from '#kernel/end_signal'

/** A server-sent event; its data is a single line. */
export interface ServerSentEvent {
  readonly name: string
  /** Sent back by a reconnecting client as `Last-Event-ID`. */
  readonly id?: string
  /** Without it, a client takes note of the id and receives nothing. */
  readonly data: string | undefined
}

/** Keeps proxies from closing idle connections. */
const PING_EVERY_MS = 15_000
const RECONNECT_MS = 2_000

/** The suffix of the summary of lists that can also be streamed. */
export const OR_STREAMED =
  '; with `Accept: text/event-stream`, stream new ones as they arrive, or those after `Last-Event-ID`'

/** Whether the client accepts an event stream instead of a list. */
export function acceptsEventStream({ request }: HttpContext): boolean {
  const accepted = request.header('accept') ?? ''
  return request.method() === 'GET' && /(^|[\s,])text\/event-stream($|[\s,;])/i.test(accepted)
}

/** Ends with the connection of a request, or when the process shuts down. */
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
 * Streams events at the pace of the reader until the signal aborts. The response is ended properly, so that the client
 * reconnects by itself.
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
  const place = id === undefined ? '' : `id: ${id}\n`
  const content = data === undefined ? '' : `event: ${name}\ndata: ${data}\n`
  if (!connection.write(`${place}${content}\n`)) {
    await once(connection, 'drain', { signal }).catch(() => {})
  }
}

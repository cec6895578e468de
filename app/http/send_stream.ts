import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { HttpContext } from '@adonisjs/core/http'

import { releaseChunk } from '#kernel/chunk_memory'

interface StreamOptions {
  /** Fails if the bytes do not match what was announced. */
  readonly check?: (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  readonly pack?: Transform
}

/**
 * Responds with a stream at the pace of the reader. An error destroys the connection, so that a client cannot mistake
 * the response for complete. A reader that disconnects ends the stream, and one that does not read is disconnected
 * (`SlowReaders`).
 */
export async function sendStream(
  { request, response, logger }: HttpContext,
  source: Readable,
  { check, pack }: StreamOptions = {}
): Promise<void> {
  const { response: connection } = response
  response.setRequestId()
  response.writeHead()
  const closed = new AbortController()
  const onClose = () => closed.abort()
  connection.once('close', onClose)
  const { signal } = closed
  const sending = (chunks: AsyncIterable<Uint8Array>) => send(chunks, connection, signal)
  try {
    if (!check) {
      await pipeline(source, sending, { signal })
    } else if (!pack) {
      await pipeline(source, check, sending, { signal })
    } else {
      await pipeline(source, check, pack, sending, { signal })
    }
  } catch (error) {
    connection.destroy()
    if (!signal.aborted) {
      logger.error({ err: error, path: request.url() }, 'a response was aborted')
    }
  } finally {
    connection.off('close', onClose)
  }
}

/** Frees the memory of a chunk once it is written to the network. */
async function send(
  chunks: AsyncIterable<Uint8Array>,
  connection: ServerResponse,
  signal: AbortSignal
): Promise<void> {
  for await (const chunk of chunks) {
    const hasRoom = connection.write(chunk, (error) => {
      if (!error) {
        releaseChunk(chunk)
      }
    })
    if (!hasRoom) {
      await once(connection, 'drain', { signal })
    }
  }
  connection.end()
  if (!connection.writableFinished) {
    await once(connection, 'finish', { signal })
  }
}

/** Responds with headers only, as to HEAD. */
export function sendHead(ctx: HttpContext): void {
  end(ctx)
}

/** Responds with bytes that are already in memory. Resolves when they left it. */
export async function sendBytes(ctx: HttpContext, bytes: Buffer): Promise<void> {
  const { response: connection } = ctx.response
  const { promise, resolve } = Promise.withResolvers<void>()
  connection.once('close', resolve)
  end(ctx, bytes)
  if (!connection.closed) {
    await promise
  }
}

function end({ response }: HttpContext, bytes?: Buffer): void {
  response.setRequestId()
  response.writeHead()
  response.response.end(bytes)
}

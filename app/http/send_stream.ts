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
  /** Disconnects a reader that accepts no bytes for this time; never by default. */
  readonly stallTimeoutMs?: number
}

/**
 * Responds with a stream at the pace of the reader. An error destroys the connection, so that a client cannot mistake
 * the response for complete. A reader that disconnects ends the stream.
 */
export async function sendStream(
  { request, response, logger }: HttpContext,
  source: Readable,
  { check, pack, stallTimeoutMs }: StreamOptions = {}
): Promise<void> {
  const { response: connection } = response
  response.setRequestId()
  response.writeHead()
  const closed = new AbortController()
  const onClose = () => closed.abort()
  connection.once('close', onClose)
  const { signal } = closed
  const sending = (chunks: AsyncIterable<Uint8Array>) =>
    send(chunks, new ResponseWriter(connection, signal, stallTimeoutMs))
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
    if (error instanceof StalledReader) {
      logger.info({ path: request.url() }, error.message)
    } else if (!signal.aborted) {
      logger.error({ err: error, path: request.url() }, 'a response was aborted')
    }
  } finally {
    connection.off('close', onClose)
  }
}

/** The client does not read its response. */
class StalledReader extends Error {
  constructor() {
    super('a response was aborted: the client stopped reading')
  }
}

/** Writes a response with backpressure and an optional timeout. */
class ResponseWriter {
  constructor(
    readonly connection: ServerResponse,
    readonly signal: AbortSignal,
    readonly stallTimeoutMs: number | undefined
  ) {}

  /** Resolves when the client has read what was sent. */
  async waitFor(event: 'drain' | 'finish'): Promise<void> {
    if (this.stallTimeoutMs === undefined) {
      await once(this.connection, event, { signal: this.signal })
      return
    }
    const late = AbortSignal.timeout(this.stallTimeoutMs)
    try {
      await once(this.connection, event, { signal: AbortSignal.any([this.signal, late]) })
    } catch (error) {
      throw late.aborted ? new StalledReader() : error
    }
  }
}

/** Frees the memory of a chunk once it is written to the network. */
async function send(chunks: AsyncIterable<Uint8Array>, writer: ResponseWriter): Promise<void> {
  const { connection } = writer
  for await (const chunk of chunks) {
    const hasRoom = connection.write(chunk, (error) => {
      if (!error) {
        releaseChunk(chunk)
      }
    })
    if (!hasRoom) {
      await writer.waitFor('drain')
    }
  }
  connection.end()
  if (!connection.writableFinished) {
    await writer.waitFor('finish')
  }
}

/** Responds with headers only, for HEAD. */
export function sendHead(ctx: HttpContext): void {
  sendBytes(ctx)
}

/** Responds with bytes that are already in memory. */
export function sendBytes({ response }: HttpContext, bytes?: Buffer): void {
  response.setRequestId()
  response.writeHead()
  response.response.end(bytes)
}

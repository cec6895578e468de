import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { HttpContext } from '@adonisjs/core/http'

import { releaseChunk } from '#kernel/chunk_memory'

interface StreamOptions {
  /** Fails where the bytes are not what was announced. */
  readonly check?: (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  readonly pack?: Transform
  /** How long a reader may take nothing before it is cut off; for ever where nothing is said. */
  readonly stallTimeoutMs?: number
}

/**
 * Answers with what a stream yields, at the pace of the reader. What goes wrong on the way breaks the connection: neither the
 * length nor the end of an answer may say that all was well then. A reader that leaves ends the stream.
 */
export async function sendStream(
  { request, response, logger }: HttpContext,
  source: Readable,
  { check, pack, stallTimeoutMs: patienceMs }: StreamOptions = {}
): Promise<void> {
  const { response: connection } = response
  response.setRequestId()
  response.writeHead()
  const closed = new AbortController()
  const onClose = () => closed.abort()
  connection.once('close', onClose)
  const { signal } = closed
  const sending = (chunks: AsyncIterable<Uint8Array>) =>
    send(chunks, new ResponseWriter(connection, signal, patienceMs))
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
      logger.error({ err: error, path: request.url() }, 'a response was cut off')
    }
  } finally {
    connection.off('close', onClose)
  }
}

/** Somebody asked for a stream and does not read it. */
class StalledReader extends Error {
  constructor() {
    super('a response was cut off: its reader took nothing of it for too long')
  }
}

/** The connection to a reader. */
class ResponseWriter {
  constructor(
    readonly connection: ServerResponse,
    readonly signal: AbortSignal,
    readonly stallTimeoutMs: number | undefined
  ) {}

  /** Resolves when the reader took what was sent. */
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

/** The memory of a chunk is given back when the network has it. */
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

/** Answers with the head of what `sendStream` would send. */
export function sendHead(ctx: HttpContext): void {
  sendBytes(ctx)
}

/** Answers with what is in memory already, which takes none of the steps of a stream. */
export function sendBytes({ response }: HttpContext, bytes?: Buffer): void {
  response.setRequestId()
  response.writeHead()
  response.response.end(bytes)
}

import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { HttpContext } from '@adonisjs/core/http'

interface Steps {
  /** Fails where the bytes are not what was announced. */
  readonly check?: (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  readonly pack?: Transform
}

/**
 * Answers with what a stream yields, at the pace of the reader. What goes wrong on the way breaks the connection: neither the
 * length nor the end of an answer may say that all was well then. A reader that leaves ends the stream.
 */
export async function sendStream(
  { request, response, logger }: HttpContext,
  source: Readable,
  { check, pack }: Steps = {}
): Promise<void> {
  const { response: connection } = response
  response.setRequestId()
  response.writeHead()
  try {
    if (!check) {
      await pipeline(source, connection)
    } else if (!pack) {
      await pipeline(source, check, connection)
    } else {
      await pipeline(source, check, pack, connection)
    }
  } catch (error) {
    connection.destroy()
    const hasReaderLeft = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (!hasReaderLeft) {
      logger.error({ err: error, path: request.url() }, 'a response was cut off')
    }
  }
}

/** Answers with the head of what `sendStream` would send. */
export function sendHead({ response }: HttpContext): void {
  response.setRequestId()
  response.writeHead()
  response.response.end()
}

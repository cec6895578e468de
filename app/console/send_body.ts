import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

import type { HttpContext } from '@adonisjs/core/http'

import { sendStream } from '#http/send_stream'
import { SENT } from './page.js'

/** Streams the body of a service to the browser, since it may be larger than the memory. */
export async function sendBody(ctx: HttpContext, { body }: Response): Promise<typeof SENT> {
  await sendStream(ctx, Readable.fromWeb(body as ReadableStream<Uint8Array>))
  return SENT
}

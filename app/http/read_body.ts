import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'

import type { HttpContext } from '@adonisjs/core/http'
import qs from '@poppinss/qs'

import { requireObject } from '#kernel/body'
import { BadRequest, EncodingUnsupported, PayloadTooLarge, type Failure } from '#kernel/failures'
import { MAX_KEYS, MAX_DEPTH, parseJson, tooDeep, tooManyKeys } from './json_content.js'
import { httpSettings } from './http_settings.js'
import { bodyTimeout } from './request_timeouts.js'

const MAX_BODY_BYTES = 2 ** 20

/** For routes that need the source text of a body. */
export interface VerbatimBody {
  readonly maxBytes: number
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The source text of the JSON body, if its route needs it. */
    bodyText?: string
  }
}

const JSON_TYPES = ['application/json']
const FORM_TYPES = ['application/x-www-form-urlencoded']

/** Reads the body of a request, as JSON or as a form. A body of another type counts as an empty object. */
export async function readBody(
  ctx: HttpContext,
  verbatim?: VerbatimBody,
  maxBytes = verbatim?.maxBytes
): Promise<void> {
  const { request } = ctx
  if (!request.hasBody()) {
    return
  }
  if (isJson(request)) {
    const text = await textOf(request.request, maxBytes)
    request.updateBody(text === '' ? {} : requireObject(parseJson(text)))
    if (verbatim) {
      ctx.bodyText = text
    }
  } else if (request.is(FORM_TYPES)) {
    request.updateBody(parseForm(await textOf(request.request, maxBytes)))
  }
}

/** Values are not trimmed, and empty text is not converted to null. */
function parseForm(text: string): Record<string, unknown> {
  const parameters = text.split('&', MAX_KEYS + 1)
  if (parameters.length > MAX_KEYS) {
    throw tooManyKeys()
  }
  if (parameters.some(isNestedTooDeep)) {
    throw tooDeep()
  }
  return qs.parse(text, { allowDots: true, parameterLimit: MAX_KEYS })
}

const LEVEL = /\[|%5B|\.|%2E/gi

function isNestedTooDeep(parameter: string): boolean {
  const [key = ''] = parameter.split('=', 1)
  return key.length > MAX_DEPTH && (key.match(LEVEL)?.length ?? 0) > MAX_DEPTH
}

/** The comparison of the common spelling is cheaper than parsing the header. */
function isJson(request: HttpContext['request']): boolean {
  return (
    request.request.headers['content-type'] === JSON_TYPES[0] || Boolean(request.is(JSON_TYPES))
  )
}

/** Reads and decompresses the body. The rest of a failed request is discarded. */
function textOf(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<string> | string {
  if (Number(request.headers['content-length']) > maxBytes) {
    throw new PayloadTooLarge()
  }
  return isBuffered(request) ? readBuffered(request) : readStreamed(request, maxBytes)
}

/** Whether the whole body was received with the head, as is most common, so that nothing must be awaited. */
function isBuffered({ headers, readableLength }: IncomingMessage): boolean {
  const isPlain = headers['content-encoding'] === undefined
  return isPlain && Number(headers['content-length']) === readableLength
}

function readBuffered(request: IncomingMessage): string {
  const bytes: Buffer | null = request.read()
  request.resume()
  return bytes?.toString() ?? ''
}

function readStreamed(request: IncomingMessage, maxBytes: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const content = decompressed(request)
  const chunks: Buffer[] = []
  let size = 0
  const timeout = setTimeout(() => reject(bodyTimeout()), httpSettings().bodyTimeoutMs)
  content.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) {
      reject(new PayloadTooLarge())
    } else {
      chunks.push(chunk)
    }
  })
  content.once('end', () => resolve(Buffer.concat(chunks).toString()))
  content.once('error', (cause) => reject(bodyError(cause)))
  request.once('error', (cause) => reject(bodyError(cause)))
  request.once('close', () => {
    if (!request.complete) {
      reject(bodyError(undefined))
    }
  })
  return promise.finally(() => {
    clearTimeout(timeout)
    detach(request, content)
  })
}

function decompressed(request: IncomingMessage): Readable {
  switch (request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
      return request
    case 'gzip':
    case 'deflate':
      return request.pipe(createUnzip())
    case 'br':
      return request.pipe(createBrotliDecompress())
    default:
      throw new EncodingUnsupported()
  }
}

function detach(request: IncomingMessage, content: Readable): void {
  content.removeAllListeners('data')
  content.on('error', () => {})
  if (content !== request) {
    request.unpipe()
    content.destroy()
  }
  request.resume()
}

function bodyError(cause: unknown): Failure {
  return new BadRequest('The body is incomplete or does not match its headers', { cause })
}

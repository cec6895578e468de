import { crc32 } from 'node:zlib'

import type { HttpContext } from '@adonisjs/core/http'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Responses depend on the caller, so they must not be cached by proxies. */
export const UNCACHED = 'private, no-store'
const VARY = 'Authorization, Cookie, Origin'

/**
 * Responds with JSON that must not be cached. Strings and buffers are sent as they are. A successful GET has a weak
 * ETag and becomes a 304 if the client already has it.
 */
export function sendJson({ request, response }: HttpContext, content: unknown, status = 200): void {
  const text =
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content)
  setJsonHeaders(response, status)
  if (status === 200 && (request.method() === 'GET' || request.method() === 'HEAD')) {
    response.header('etag', weakEtag(text))
    if (request.request.headers['if-none-match'] !== undefined && response.fresh()) {
      response.status(304)
      response.send(null)
      return
    }
  }
  send(response, text)
}

/**
 * Responds with JSON whose ETag is the version of the record, for conditional updates. Other parts of the response
 * change without the version, so it never becomes a 304.
 */
export function sendVersionedJson(
  { response }: HttpContext,
  content: object,
  version: string
): void {
  setJsonHeaders(response, 200)
  response.header('etag', `"${version}"`)
  send(response, JSON.stringify(content))
}

function setJsonHeaders(response: HttpContext['response'], status: number): void {
  response.status(status)
  response.header('content-type', JSON_TYPE)
  response.header('cache-control', UNCACHED)
  response.header('vary', varyHeader(response.getHeader('vary')))
}

/** Every response already varies by Origin, and some by more. */
function varyHeader(already: ReturnType<HttpContext['response']['getHeader']>): string {
  if (already === undefined || already === 'Origin') {
    return VARY
  }
  const others = String(already).split(/, ?/)
  return [VARY, ...others.filter((name) => name !== 'Origin')].join(', ')
}

/** Bypasses the framework's serializer, which detects the type of a text and measures it again. */
function send(response: HttpContext['response'], text: string | Buffer): void {
  response.setRequestId()
  response.header('content-length', Buffer.byteLength(text))
  response.writeHead()
  response.response.end(text)
}

/** Length and checksum distinguish versions of a response at a tenth of the cost of a digest. */
function weakEtag(text: string | Buffer): string {
  return `W/"${text.length.toString(36)}-${crc32(text).toString(36)}"`
}

import { crc32 } from 'node:zlib'

import type { HttpContext } from '@adonisjs/core/http'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** What an answer says depends on who asks, so that nobody on the way keeps it. */
export const UNCACHED = 'private, no-store'
const VARY = 'Authorization, Cookie, Origin'

/**
 * Answers with JSON, which nothing on the way to the caller may keep. A string is taken as JSON text that is ready to be sent, and so are bytes. A GET that succeeded carries a weak ETag
 * and is answered with 304 where the caller has it already.
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
 * Answers with the version of what it is about as its ETag, for changes that are made for that version only. Other parts of
 * the answer change without it, so that no answer is 304.
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

/** Every answer varies by its origin already, and some by more. */
function varyHeader(already: ReturnType<HttpContext['response']['getHeader']>): string {
  if (already === undefined || already === 'Origin') {
    return VARY
  }
  const others = String(already).split(/, ?/)
  return [VARY, ...others.filter((name) => name !== 'Origin')].join(', ')
}

/** Past the framework's serializer, which looks through a text for its type and counts its bytes again. */
function send(response: HttpContext['response'], text: string | Buffer): void {
  response.setRequestId()
  response.header('content-length', Buffer.byteLength(text))
  response.writeHead()
  response.response.end(text)
}

/**
 * Weak, for telling versions of one answer apart: length and checksum do that, at a tenth of the price of a digest.
 */
function weakEtag(text: string | Buffer): string {
  return `W/"${text.length.toString(36)}-${crc32(text).toString(36)}"`
}

import type { HttpContext } from '@adonisjs/core/http'

import { BadRequest } from '#kernel/failures'
import { CHECKSUM_ALGORITHMS } from './announced_checksum.js'
import { ContentTypeUnsupported, VersionUnsupported } from './failures.js'

export const TUS_VERSION = '1.0.0'
export const BYTES_TYPE = 'application/offset+octet-stream'

const EXTENSIONS = [
  'creation',
  'creation-with-upload',
  'creation-defer-length',
  'expiration',
  'termination',
  'checksum',
]

const NUMBER = /^\d{1,16}$/

/** Describes the supported protocol. */
export function describeProtocol({ response }: HttpContext, maxBytes: number): void {
  response.header('tus-resumable', TUS_VERSION)
  response.header('tus-version', TUS_VERSION)
  response.header('tus-extension', EXTENSIONS.join(','))
  response.header('tus-checksum-algorithm', CHECKSUM_ALGORITHMS.join(','))
  if (maxBytes > 0) {
    response.header('tus-max-size', maxBytes)
  }
}

/** Rejects other protocol versions. Call it first, because every response carries ours. */
export function requireProtocol({ request, response }: HttpContext): void {
  response.header('tus-resumable', TUS_VERSION)
  response.header('cache-control', 'no-store')
  if (request.header('tus-resumable') !== TUS_VERSION) {
    throw new VersionUnsupported(TUS_VERSION)
  }
}

/** Whether the body consists of bytes of an upload. */
export function hasUploadBytes({ request }: HttpContext): boolean {
  return request.header('content-type')?.split(';')[0]!.trim().toLowerCase() === BYTES_TYPE
}

export function requireUploadBytes(ctx: HttpContext): void {
  const encoding = ctx.request.header('content-encoding')?.toLowerCase() ?? 'identity'
  if (!hasUploadBytes(ctx) || encoding !== 'identity') {
    throw new ContentTypeUnsupported(BYTES_TYPE)
  }
}

/** A header with a number of bytes; undefined if it is missing. */
export function byteHeader({ request }: HttpContext, name: string): number | undefined {
  const value = request.header(name)
  if (value === undefined) {
    return undefined
  }
  const bytes = Number(value)
  if (!NUMBER.test(value) || !Number.isSafeInteger(bytes)) {
    throw new BadRequest(`The header ${name} must be a number of bytes`)
  }
  return bytes
}

/** The announced size; undefined if the client defers it. */
export function announcedLength(ctx: HttpContext): number | undefined {
  const length = byteHeader(ctx, 'Upload-Length')
  const deferred = ctx.request.header('upload-defer-length')
  const isEither = (length === undefined) === (deferred === '1')
  if (!isEither || (length !== undefined && deferred !== undefined)) {
    throw new BadRequest('Send either Upload-Length, or Upload-Defer-Length: 1')
  }
  return length
}

/** The offset of the bytes of a request. */
export function requireOffset(ctx: HttpContext): number {
  const offset = byteHeader(ctx, 'Upload-Offset')
  if (offset === undefined) {
    throw new BadRequest('Send the header Upload-Offset')
  }
  return offset
}

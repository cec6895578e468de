import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

import type { HttpContext } from '@adonisjs/core/http'

import { EntityNotFound, Failure } from '#kernel/failures'
import { originOf } from '#kernel/request_origin'
import { recordCodeRead } from '#audit/record_security_event'
import { requireAccess } from '#storage/access/bucket_access'
import { bucketFile } from '#storage/bucket_files/bucket_file'
import type { FileRow } from '#storage/bucket_files/file_row'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { attachment } from './content_disposition.js'
import { checkSize } from '#storage/objects/check_size'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import type { ByteRange, ObjectFacts } from '#storage/objects/object_store'
import { objectStore } from '#storage/objects/store'
import { BufferStream } from '#storage/objects/buffer_stream'
import { OpenDownloads } from './open_downloads.js'
import { contentRange, decideDownload, type DownloadDecision } from './download_decision.js'
import { presentationOf, type Presentation } from './presentation.js'
import { sendBytes, sendHead, sendStream } from '#http/send_stream'

/** The file does not match `If-Match` or `If-Unmodified-Since`. */
class PreconditionFailed extends Failure {
  constructor() {
    super(
      412,
      'precondition_failed',
      'The file has changed: it does not match the requested version'
    )
  }
}

/** `Range` starts after the end of the file. */
class RangeUnsatisfiable extends Failure {
  constructor(size: number) {
    super(
      416,
      'range_unsatisfiable',
      `The file has ${size} bytes, and the range starts after them`,
      {
        headers: { 'content-range': contentRange(size), 'accept-ranges': 'bytes' },
      }
    )
  }
}

/** Sends the content of a file. No database connection is used while it is sent. */
export async function download(ctx: HttpContext): Promise<void> {
  const { request, response } = ctx
  const bucketFiles = await ctx.containerResolver.make(BucketFileService)
  const file = await bucketFiles.findRow(ctx.params.id)
  const origin = originOf(ctx)
  const ground = await requireAccess(origin.actor, file)
  const { size } = file.size === null ? await statObject(file) : { size: file.size }
  const presentation = presentationOf(file, size, request.request.headers)
  const decision = decideDownload(request.method(), request.request.headers, presentation)

  if (presentation.varies) {
    response.append('vary', 'Accept-Encoding')
  }
  if (decision.status === 412) {
    throw new PreconditionFailed()
  }
  if (decision.status === 416) {
    throw new RangeUnsatisfiable(size)
  }
  if (decision.status === 304) {
    return answerUnchanged(ctx, presentation)
  }
  if (request.method() === 'HEAD') {
    await statObject(file)
    announce(ctx, file, presentation, decision)
    return sendHead(ctx)
  }
  const range = decision.status === 206 ? decision.range : undefined
  const downloads = await ctx.containerResolver.make(OpenDownloads)
  const bytes = await open(file, size, range)
  try {
    await downloads.run(origin.actor, async () => {
      if (ground === 'decision') {
        const { id } = file
        await recordCodeRead(origin, { kind: bucketFile.name, id, realmId: file.bucket.realmId })
      }
      announce(ctx, file, presentation, decision)
      await send(ctx, bytes, presentation, lengthOf(presentation, range))
    })
  } finally {
    bytes.destroy()
  }
}

async function send(
  ctx: HttpContext,
  bytes: Readable,
  { isPacked }: Presentation,
  length: number
): Promise<void> {
  if (!isPacked && bytes instanceof BufferStream && bytes.content.length === length) {
    return sendBytes(ctx, bytes.content)
  }
  await sendStream(ctx, bytes, {
    check: (source) => checkSize(length, source),
    pack: isPacked ? createGzip() : undefined,
  })
}

function announceVersion({ response }: HttpContext, { etag, modifiedAt }: Presentation): void {
  response.header('etag', etag)
  response.header('last-modified', modifiedAt.toUTCString())
  response.header('cache-control', 'private, no-cache')
}

function answerUnchanged(ctx: HttpContext, presentation: Presentation): void {
  announceVersion(ctx, presentation)
  ctx.response.status(304)
  ctx.response.send(null)
}

function announce(
  ctx: HttpContext,
  { name, hash, sha256 }: FileRow,
  presentation: Presentation,
  decision: DownloadDecision & { status: 200 | 206 }
): void {
  const { response } = ctx
  announceVersion(ctx, presentation)
  response.status(decision.status)
  response.header('content-type', presentation.type)
  response.header('content-disposition', attachment(name, hash))
  if (sha256 !== null && !presentation.isPacked) {
    const digest = Buffer.from(sha256, 'hex').toString('base64')
    response.header('repr-digest', `sha-256=:${digest}:`)
  }
  if (presentation.isPacked) {
    response.header('content-encoding', 'gzip')
    return
  }
  const range = decision.status === 206 ? decision.range : undefined
  response.header('accept-ranges', 'bytes')
  response.header('content-length', lengthOf(presentation, range))
  if (range) {
    response.header('content-range', contentRange(presentation.size, range))
  }
}

function lengthOf({ size }: Presentation, range: ByteRange | undefined): number {
  return range ? range.end - range.start + 1 : size
}

async function open(file: FileRow, size: number, range?: ByteRange): Promise<Readable> {
  const store = await objectStore()
  const address = objectAddress(file.layout, file.bucketId, file.hash)
  return store.read(address, range, size).catch(notFound)
}

async function statObject({ layout, bucketId, hash }: FileRow): Promise<ObjectFacts> {
  const store = await objectStore()
  return store.stat(objectAddress(layout, bucketId, hash)).catch(notFound)
}

function notFound(error: unknown): never {
  throw error instanceof ObjectMissing ? new EntityNotFound(bucketFile.label) : error
}

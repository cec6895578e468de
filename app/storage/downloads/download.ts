import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

import type { HttpContext } from '@adonisjs/core/http'

import { EntityNotFound, Failure } from '#kernel/failures'
import { originOf } from '#kernel/request_origin'
import { requireReach } from '#storage/access/access'
import { bucketFile } from '#storage/bucket_files/bucket_file'
import type { FileRow } from '#storage/bucket_files/file_row'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { attachment } from './content_disposition.js'
import { checkSize } from '#storage/objects/check_size'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import type { ByteRange, ObjectFacts } from '#storage/objects/object_store'
import { objectStore } from '#storage/objects/store'
import { WholeBytes } from '#storage/objects/whole_bytes'
import { contentRange, verdictOn, type Verdict } from './ranges.js'
import { presentationOf, type Presentation } from './presentation.js'
import { sendBytes, sendHead, sendStream } from '#http/send_stream'

/** The file is not in the version that `If-Match` or `If-Unmodified-Since` asked for. */
class PreconditionFailed extends Failure {
  constructor() {
    super(412, 'precondition_failed', 'The file is not in the version that was asked for')
  }
}

/** `Range` asks for bytes behind the end of the file. */
class RangeUnsatisfiable extends Failure {
  constructor(size: number) {
    super(416, 'range_unsatisfiable', `The file has ${size} bytes, and none where this asks`, {
      headers: { 'content-range': contentRange(size), 'accept-ranges': 'bytes' },
    })
  }
}

/** Answers with the content of a file. No database connection is held while it flows. */
export async function download(ctx: HttpContext): Promise<void> {
  const { request, response } = ctx
  const bucketFiles = await ctx.containerResolver.make(BucketFileService)
  const file = await bucketFiles.fileRow(ctx.params.id)
  await requireReach(originOf(ctx).actor, file)
  const { size } = file.size === null ? await factsOf(file) : { size: file.size }
  const shown = presentationOf(file, size, request.request.headers)
  const verdict = verdictOn(request.method(), request.request.headers, shown)

  if (shown.varies) {
    response.append('vary', 'Accept-Encoding')
  }
  if (verdict.status === 412) {
    throw new PreconditionFailed()
  }
  if (verdict.status === 416) {
    throw new RangeUnsatisfiable(size)
  }
  if (verdict.status === 304) {
    return answerUnchanged(ctx, shown)
  }
  if (request.method() === 'HEAD') {
    await factsOf(file)
    announce(ctx, file, shown, verdict)
    return sendHead(ctx)
  }
  const range = verdict.status === 206 ? verdict.range : undefined
  const bytes = await open(file, size, range)
  announce(ctx, file, shown, verdict)
  const length = lengthOf(shown, range)
  if (!shown.isPacked && bytes instanceof WholeBytes && bytes.content.length === length) {
    return sendBytes(ctx, bytes.content)
  }
  await sendStream(ctx, bytes, {
    check: (source) => checkSize(length, source),
    pack: shown.isPacked ? createGzip() : undefined,
  })
}

function announceVersion({ response }: HttpContext, { etag, modifiedAt }: Presentation): void {
  response.header('etag', etag)
  response.header('last-modified', modifiedAt.toUTCString())
  response.header('cache-control', 'private, no-cache')
}

function answerUnchanged(ctx: HttpContext, shown: Presentation): void {
  announceVersion(ctx, shown)
  ctx.response.status(304)
  ctx.response.send(null)
}

function announce(
  ctx: HttpContext,
  { name, hash, sha256 }: FileRow,
  shown: Presentation,
  verdict: Verdict & { status: 200 | 206 }
): void {
  const { response } = ctx
  announceVersion(ctx, shown)
  response.status(verdict.status)
  response.header('content-type', shown.type)
  response.header('content-disposition', attachment(name, hash))
  if (sha256 !== null && !shown.isPacked) {
    const digest = Buffer.from(sha256, 'hex').toString('base64')
    response.header('repr-digest', `sha-256=:${digest}:`)
  }
  if (shown.isPacked) {
    response.header('content-encoding', 'gzip')
    return
  }
  const range = verdict.status === 206 ? verdict.range : undefined
  response.header('accept-ranges', 'bytes')
  response.header('content-length', lengthOf(shown, range))
  if (range) {
    response.header('content-range', contentRange(shown.size, range))
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

async function factsOf({ layout, bucketId, hash }: FileRow): Promise<ObjectFacts> {
  const store = await objectStore()
  return store.stat(objectAddress(layout, bucketId, hash)).catch(notFound)
}

function notFound(error: unknown): never {
  throw error instanceof ObjectMissing ? new EntityNotFound(bucketFile.label) : error
}

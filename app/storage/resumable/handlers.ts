import type { HttpContext } from '@adonisjs/core/http'

import { RouteNotFound } from '#kernel/failures'
import { originOf } from '#kernel/request_origin'
import { storageSettings } from '#storage/storage_settings'
import { RequestBody } from '#storage/uploads/request_body'
import { AnnouncedChecksum } from './announced_checksum.js'
import {
  announcedLength,
  byteHeader,
  hasUploadBytes,
  describeProtocol,
  requireUploadBytes,
  requireOffset,
  requireProtocol,
} from './protocol.js'
import { ResumableService } from './resumable_service.js'
import type { ResumableUpload } from './resumable_uploads.js'

const makeUploads = ({ containerResolver }: HttpContext): Promise<ResumableService> =>
  containerResolver.make(ResumableService)

export function describe(ctx: HttpContext): void {
  describeProtocol(ctx, storageSettings().uploadMaxBytes)
  ctx.response.status(204).send(null)
}

export async function startUpload(ctx: HttpContext): Promise<void> {
  requireProtocol(ctx)
  if (hasUploadBytes(ctx)) {
    requireUploadBytes(ctx)
  }
  const metadata = ctx.request.header('upload-metadata') ?? ''
  const request = { length: announcedLength(ctx), metadata }
  const uploads = await makeUploads(ctx)
  const started = await uploads.start(originOf(ctx), ctx.params.id, request)
  ctx.response.header('location', locationOf(ctx, started))
  const upload = hasUploadBytes(ctx) ? await receiveBytes(ctx, started.id, 0) : started
  if (hasUploadBytes(ctx)) {
    ctx.response.header('upload-offset', upload.object.size)
  }
  setResultHeaders(ctx, upload)
  ctx.response.status(201).send(null)
}

export async function status(ctx: HttpContext): Promise<void> {
  requireProtocol(ctx)
  const uploads = await makeUploads(ctx)
  const upload = await uploads.status(originOf(ctx), uploadReference(ctx))
  const { response } = ctx
  response.header('upload-offset', upload.object.size)
  if (upload.length === null) {
    response.header('upload-defer-length', '1')
  } else {
    response.header('upload-length', upload.length)
  }
  if (upload.metadata !== '') {
    response.header('upload-metadata', upload.metadata)
  }
  setResultHeaders(ctx, upload)
  response.status(200).send(null)
}

export async function continueUpload(ctx: HttpContext): Promise<void> {
  requireProtocol(ctx)
  requireUploadBytes(ctx)
  const upload = await receiveBytes(ctx, ctx.params.uploadId, requireOffset(ctx))
  ctx.response.header('upload-offset', upload.object.size)
  setResultHeaders(ctx, upload)
  ctx.response.status(204).send(null)
}

export async function cancelUpload(ctx: HttpContext): Promise<void> {
  requireProtocol(ctx)
  const uploads = await makeUploads(ctx)
  await uploads.cancel(originOf(ctx), uploadReference(ctx))
  ctx.response.status(204).send(null)
}

const METHODS: Record<string, (ctx: HttpContext) => Promise<void>> = {
  HEAD: status,
  PATCH: continueUpload,
  DELETE: cancelUpload,
}

/** For clients behind proxies that block some methods. */
export async function overrideMethod(ctx: HttpContext): Promise<void> {
  requireProtocol(ctx)
  const method = ctx.request.header('x-http-method-override')?.toUpperCase() ?? ''
  const handler = METHODS[method]
  if (!handler) {
    throw new RouteNotFound('POST')
  }
  await handler(ctx)
}

async function receiveBytes(
  ctx: HttpContext,
  upload: string,
  offset: number
): Promise<ResumableUpload> {
  const uploads = await makeUploads(ctx)
  const body = new RequestBody(ctx.request.request)
  try {
    return await uploads.append(
      originOf(ctx),
      { bucket: ctx.params.id, upload },
      {
        offset,
        chunks: body.chunks(),
        bytes: byteHeader(ctx, 'Content-Length'),
        length: byteHeader(ctx, 'Upload-Length'),
        checksum: AnnouncedChecksum.from(ctx.request.header('upload-checksum')),
      }
    )
  } finally {
    body.release()
  }
}

/** Relative to the requested URL, so that it works behind any proxy. */
function locationOf({ request }: HttpContext, { id }: ResumableUpload): string {
  return request.url().endsWith('/') ? id : `resumable/${id}`
}

function setResultHeaders(
  { response }: HttpContext,
  { id, isFile, expiresAt }: ResumableUpload
): void {
  if (isFile) {
    response.header('x-bucket-file-id', id)
  } else {
    response.header('upload-expires', expiresAt.toUTCString())
  }
}

function uploadReference({ params }: HttpContext) {
  return { bucket: params.id as string, upload: params.uploadId as string }
}

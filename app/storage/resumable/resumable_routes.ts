import type { SurfaceRoutes } from '#http/surface'
import {
  startOperation,
  continueOperation,
  describeOperation,
  cancelOperation,
  overrideOperation,
  statusOperation,
} from './operations.js'
import { listOperation, listUploads } from './list_uploads.js'
import {
  startUpload,
  continueUpload,
  describe,
  cancelUpload,
  overrideMethod,
  status,
} from './handlers.js'

const UPLOADS = '/buckets/:id/resumable'
const UPLOAD = `${UPLOADS}/:uploadId`

/** The routes of resumable uploads: the tus protocol, version 1.0. */
export function resumableRoutes(routes: SurfaceRoutes): void {
  routes
    .options(UPLOADS, describe, describeOperation('describeResumableUploads'))
    .options(UPLOAD, describe, describeOperation('describeResumableUpload'))
    .get(UPLOADS, listUploads, listOperation)
    .post(UPLOADS, startUpload, startOperation)
    .head(UPLOAD, status, statusOperation)
    .patch(UPLOAD, continueUpload, continueOperation)
    .delete(UPLOAD, cancelUpload, cancelOperation)
    .post(UPLOAD, overrideMethod, overrideOperation)
}

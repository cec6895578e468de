import type { SurfaceRoutes } from '#http/surface'
import {
  beginOperation,
  continueOperation,
  describeOperation,
  endOperation,
  insteadOperation,
  statusOperation,
} from './operations.js'
import { beginUpload, continueUpload, describe, endUpload, instead, status } from './handlers.js'

const UPLOADS = '/buckets/:id/resumable'
const UPLOAD = `${UPLOADS}/:uploadId`

/** The routes on which files come in that may break off and be gone on with: the protocol tus, version 1.0. */
export function resumableRoutes(routes: SurfaceRoutes): void {
  routes
    .options(UPLOADS, describe, describeOperation('describeResumableUploads'))
    .options(UPLOAD, describe, describeOperation('describeResumableUpload'))
    .post(UPLOADS, beginUpload, beginOperation)
    .head(UPLOAD, status, statusOperation)
    .patch(UPLOAD, continueUpload, continueOperation)
    .delete(UPLOAD, endUpload, endOperation)
    .post(UPLOAD, instead, insteadOperation)
}

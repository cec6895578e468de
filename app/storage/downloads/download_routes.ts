import { loggedIn } from '#kernel/access'
import type { ResponseDeclaration, Operation, SurfaceRoutes } from '#http/surface'
import { download } from './download.js'

const bytes = (description: string): ResponseDeclaration => ({
  description,
  contentType: '*/*',
  headers: {
    'etag': 'Strong: the SHA-256 of the content; the compressed form has another',
    'content-disposition': 'The name to save it under',
  },
})

const downloadOperation: Operation = {
  name: 'streamBucketFile',
  summary: 'Download the content of a file, or the part that `Range` requests',
  access: loggedIn,
  responses: {
    200: bytes(
      'The content, with the type of its extension; compressed if the caller accepts gzip'
    ),
    206: bytes('A part of the content'),
    304: { description: 'The content still has the ETag that was sent as If-None-Match' },
  },
}

/** The route that downloads a file. */
export function downloadRoutes(routes: SurfaceRoutes): void {
  routes.get('/bucket-files/:id/stream', download, downloadOperation)
}

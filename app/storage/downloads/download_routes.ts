import { loggedIn } from '#kernel/access'
import type { ResponseDeclaration, Operation, SurfaceRoutes } from '#http/surface'
import { download } from './download.js'

const bytes = (description: string): ResponseDeclaration => ({
  description,
  contentType: '*/*',
  headers: {
    'etag': 'Strong: the SHA-256 of the content, and another for its packed form',
    'content-disposition': 'The name to save it under',
  },
})

const downloadOperation: Operation = {
  name: 'streamBucketFile',
  summary: 'The content of a file, or the part of it that `Range` asks for',
  access: loggedIn,
  responses: {
    200: bytes('All of it, of the type that its name says; packed where the caller takes gzip'),
    206: bytes('A part of it'),
    304: { description: 'The caller has this version already' },
  },
}

/** The route on which the content of a file goes out. */
export function downloadRoutes(routes: SurfaceRoutes): void {
  routes.get('/bucket-files/:id/stream', download, downloadOperation)
}

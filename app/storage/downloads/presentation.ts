import type { IncomingHttpHeaders } from 'node:http'

import type { FileRow } from '#storage/bucket_files/file_row'
import { entityTag, type Version } from './download_decision.js'
import { acceptsGzip } from './accepts_gzip.js'
import { isCompressible, mediaType } from './media_type.js'

/** The representation of a file for a caller: as it is, or compressed. */
export interface Presentation extends Version {
  readonly type: string
  /** Whether other callers may get another representation. */
  readonly varies: boolean
  readonly isPacked: boolean
}

/** The representation for these headers. Ranges always apply to the uncompressed form. */
export function presentationOf(
  file: FileRow,
  size: number,
  headers: IncomingHttpHeaders
): Presentation {
  const type = mediaType(file.name)
  const varies = isCompressible(type)
  const isPacked = varies && headers.range === undefined && acceptsGzip(headers['accept-encoding'])
  return {
    type,
    varies,
    isPacked,
    size,
    // Keys of objects are never reused, so the key identifies the content if there is no digest.
    etag: entityTag(file.sha256 ?? file.hash, isPacked ? 'gzip' : undefined),
    modifiedAt: file.createdAt,
  }
}

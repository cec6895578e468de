import type { IncomingHttpHeaders } from 'node:http'

import type { FileRow } from '#storage/bucket_files/file_row'
import { entityTag, type Version } from './download_decision.js'
import { acceptsGzip } from './accepts_gzip.js'
import { isCompressible, mediaType } from './media_type.js'

/** The form in which a caller gets a file: as it is, or packed. */
export interface Presentation extends Version {
  readonly type: string
  /** Whether another caller may get another form. */
  readonly varies: boolean
  readonly isPacked: boolean
}

/** How a file is shown to a caller that sends these headers. A part of a file is always a part of it as it is. */
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
    // The key of an object is never used again, so that it stands for its content where there is no digest.
    etag: entityTag(file.sha256 ?? file.hash, isPacked ? 'gzip' : undefined),
    modifiedAt: file.createdAt,
  }
}

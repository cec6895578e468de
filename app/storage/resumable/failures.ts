import { EntityNotFound, Failure } from '#kernel/failures'

/** There is no such upload, or it has expired, or its bucket was deleted. */
export class UploadNotFound extends EntityNotFound {
  constructor() {
    super('resumable-upload')
  }
}

/** The offset does not match the stored bytes; the response has the current one. */
export class OffsetMismatch extends Failure {
  constructor(stored: number) {
    super(409, 'entity_conflict', `The upload has ${stored} bytes; continue from there`, {
      headers: { 'upload-offset': String(stored) },
    })
  }
}

/** Another request has locked the upload and did not release it. */
export class UploadBusy extends Failure {
  constructor() {
    super(423, 'entity_conflict', 'Another request is sending this upload; try again shortly', {
      headers: { 'retry-after': '1' },
    })
  }
}

/** The request ended early. The received bytes are stored. */
export class UploadInterrupted extends Failure {
  constructor(why: string, cause?: unknown) {
    super(408, 'request_timeout', `${why}; request the offset and continue from there`, {
      headers: { connection: 'close' },
      cause,
    })
  }
}

/** The received bytes do not match the checksum. */
export class ChecksumMismatch extends Failure {
  constructor() {
    super(460, 'bad_request', 'The checksum does not match the bytes; send them again')
  }
}

/** The client uses another version of the protocol. */
export class VersionUnsupported extends Failure {
  constructor(version: string) {
    super(412, 'precondition_failed', `Send the header Tus-Resumable: ${version}`, {
      headers: { 'tus-version': version },
    })
  }
}

/** Bytes of an upload require their own content type. */
export class ContentTypeUnsupported extends Failure {
  constructor(type: string) {
    super(415, 'media_type_unsupported', `Send the bytes as ${type}, and without an encoding`, {
      headers: { 'accept-patch': type },
    })
  }
}

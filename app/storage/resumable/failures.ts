import { EntityNotFound, Failure } from '#kernel/failures'

/** There is no such upload, or it has expired, or its bucket is gone. */
export class UploadNotFound extends EntityNotFound {
  constructor() {
    super('resumable-upload')
  }
}

/** The bytes do not follow those that are there; the answer says how many these are. */
export class OffsetMismatch extends Failure {
  constructor(stored: number) {
    super(409, 'entity_conflict', `The upload has ${stored} bytes; go on from there`, {
      headers: { 'upload-offset': String(stored) },
    })
  }
}

/** Another request sends bytes for the upload, and did not let go of it. */
export class UploadBusy extends Failure {
  constructor() {
    super(423, 'entity_conflict', 'Another request is sending this upload; try again shortly', {
      headers: { 'retry-after': '1' },
    })
  }
}

/** The upload was not sent to its end. What arrived is kept. */
export class UploadInterrupted extends Failure {
  constructor(why: string, cause?: unknown) {
    super(408, 'request_timeout', `${why}; ask how much arrived and go on from there`, {
      headers: { connection: 'close' },
      cause,
    })
  }
}

/** What arrived is not what was sent. */
export class ChecksumMismatch extends Failure {
  constructor() {
    super(460, 'bad_request', 'The bytes have another checksum than announced; send them again')
  }
}

/** The client speaks another version of the protocol. */
export class VersionUnsupported extends Failure {
  constructor(version: string) {
    super(412, 'precondition_failed', `Send the header Tus-Resumable: ${version}`, {
      headers: { 'tus-version': version },
    })
  }
}

/** The bytes of an upload have a content type of their own. */
export class ContentTypeUnsupported extends Failure {
  constructor(type: string) {
    super(415, 'media_type_unsupported', `Send the bytes as ${type}, and without an encoding`, {
      headers: { 'accept-patch': type },
    })
  }
}

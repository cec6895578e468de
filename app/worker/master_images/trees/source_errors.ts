import { JobFailure } from '#worker/job_failure'

/** The source contains unsafe paths or exceeds the limits. */
export class SourceRejected extends JobFailure {
  constructor(reason: string) {
    super('imageSourceRefused', `The source of the images was rejected: ${reason}`)
  }
}

export class SourceUnreadable extends JobFailure {
  constructor(name: string, reason: string, options?: ErrorOptions) {
    super('imageSourceUnreadable', `${name} cannot be read: ${reason}`, options)
  }
}

import { JobFailure } from '#worker/job_failure'

/** A source holds something that would reach out of it, or that is larger than anything that builds images. */
export class SourceRejected extends JobFailure {
  constructor(reason: string) {
    super('imageSourceRefused', `The source of the images is refused: ${reason}`)
  }
}

/** A source cannot be read. */
export class SourceUnreadable extends JobFailure {
  constructor(name: string, reason: string, options?: ErrorOptions) {
    super('imageSourceUnreadable', `${name} cannot be read: ${reason}`, options)
  }
}

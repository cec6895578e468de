import { JobFailure } from '#worker/job_failure'

/** The platform cannot be asked now, and could not for a while. */
export class PlatformUnavailable extends JobFailure {
  constructor(what: string, reason: string, options?: ErrorOptions) {
    super('platformUnavailable', `${what} could not be asked: ${reason}`, options)
  }
}

/** The platform does not let the worker do its work. */
export class PlatformRequestRejected extends JobFailure {
  constructor(
    what: string,
    readonly status: number
  ) {
    const advice =
      status === 401 || status === 403
        ? '; look at the client of the worker, its secret and its permissions'
        : ''
    super('platformRefused', `${what} was refused with the status ${status}${advice}`)
  }
}

/** The platform answered with something that nobody here understands. */
export class PlatformResponseInvalid extends JobFailure {
  constructor(what: string, reason: string, options?: ErrorOptions) {
    super(
      'platformNotUnderstood',
      `What the platform says of ${what} is not understood: ${reason}`,
      options
    )
  }
}

export const isPlatformUnavailable = (error: unknown): boolean =>
  error instanceof PlatformUnavailable

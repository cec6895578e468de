import { BodyUnusable } from '#client/body'
import { Unreachable } from '#client/failures'
import { JobFailure } from '#worker/job_failure'

/** The platform is unavailable, and retries did not help. */
export class PlatformUnavailable extends JobFailure {
  constructor(what: string, reason: string, options?: ErrorOptions) {
    super('platformUnavailable', `${what} is unavailable: ${reason}`, options)
  }
}

/** The platform denies the worker a request. */
export class PlatformRequestRejected extends JobFailure {
  constructor(
    what: string,
    readonly status: number
  ) {
    const advice =
      status === 401 || status === 403
        ? '; check the client of the worker, its secret and its permissions'
        : ''
    super('platformRefused', `${what} was rejected with status ${status}${advice}`)
  }
}

/** The platform sent an unexpected response. */
export class PlatformResponseInvalid extends JobFailure {
  constructor(what: string, reason: string, options?: ErrorOptions) {
    super(
      'platformNotUnderstood',
      `The response of the platform with ${what} is invalid: ${reason}`,
      options
    )
  }
}

export const isPlatformUnavailable = (error: unknown): boolean =>
  error instanceof PlatformUnavailable

/** The system error code, or what is wrong with the response. */
export function reasonOf(error: unknown): string {
  if (error instanceof Unreachable) {
    return error.code ?? error.reason
  }
  if (error instanceof BodyUnusable) {
    return error.reason
  }
  const { cause, message } = error as Error
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message
}

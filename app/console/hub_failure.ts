import { Refused, type Issue } from '#client/failures'

/** A service rejected a request or did not respond. Its message is written for people. */
export class HubFailure extends Error {
  readonly issues: readonly Issue[]

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    options: { issues?: readonly Issue[]; cause?: unknown } = {}
  ) {
    super(message, { cause: options.cause })
    this.issues = options.issues ?? []
  }

  /** The failure of a request: the service rejected it, cannot be reached, or did not respond in time. */
  static of(error: unknown, service: string): HubFailure {
    if (!(error instanceof Refused)) {
      const message = `The ${service} service does not respond`
      return new HubFailure(503, 'service_unavailable', message, { cause: error })
    }
    const { status, code = 'unknown', reason, issues } = error
    const message = reason ?? `The service responded with the status ${status}`
    return new HubFailure(status, code, message, { issues })
  }

  /** Whether the user may not see the record, or it does not exist. */
  get isHidden(): boolean {
    return this.status === 403 || this.status === 404
  }
}

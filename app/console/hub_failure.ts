import type { Issue } from '#kernel/issues'

interface Envelope {
  readonly code?: unknown
  readonly message?: unknown
  readonly issues?: readonly Issue[]
}

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

  /** The failure in an error response. */
  static of(status: number, body: unknown): HubFailure {
    const { code, message, issues = [] } = (body ?? {}) as Envelope
    return new HubFailure(
      status,
      typeof code === 'string' ? code : 'unknown',
      typeof message === 'string' ? message : `The service responded with the status ${status}`,
      { issues: Array.isArray(issues) ? issues : [] }
    )
  }

  /** The service cannot be reached, or did not respond in time. */
  static unreachable(service: string, cause: unknown): HubFailure {
    return new HubFailure(503, 'service_unavailable', `The ${service} service does not respond`, {
      cause,
    })
  }

  /** Whether the user may not see the record, or it does not exist. */
  get isHidden(): boolean {
    return this.status === 403 || this.status === 404
  }
}

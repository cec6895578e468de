import type { Issue } from '#kernel/issues'

interface Envelope {
  readonly code?: unknown
  readonly message?: unknown
  readonly issues?: readonly Issue[]
}

/** A service refused a request, or did not answer. Its message is meant for people. */
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
      typeof message === 'string' ? message : `The service answered with the status ${status}`,
      { issues: Array.isArray(issues) ? issues : [] }
    )
  }

  /** The service cannot be reached, or took too long. */
  static unreachable(service: string, cause: unknown): HubFailure {
    return new HubFailure(503, 'service_unavailable', `The ${service} service does not answer`, {
      cause,
    })
  }

  /** Whether the user may not see the record, or it does not exist. */
  get isHidden(): boolean {
    return this.status === 403 || this.status === 404
  }
}

/** A failed job, with a stable code and a message for users. */
export class JobFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions
  ) {
    super(message, options)
    this.name = 'JobFailure'
  }

  /** Results to report in spite of the failure. */
  get eventData(): Readonly<Record<string, unknown>> {
    return {}
  }
}

/** A failure as reported in events. */
export interface FailureReport {
  readonly name: string
  readonly code: string
  readonly message: string
}

const CODE = /^[a-z][A-Za-z]{2,60}$/
const MAX_MESSAGE_LENGTH = 1_000

/** Reports errors with a code as they are. Any other error is reported without details. */
export function failureReport(error: unknown): FailureReport {
  const { name, code, message } = error as Partial<JobFailure>
  return error instanceof Error && typeof code === 'string' && CODE.test(code)
    ? { name: name ?? 'Error', code, message: (message ?? '').slice(0, MAX_MESSAGE_LENGTH) }
    : {
        name: 'Error',
        code: 'unforeseen',
        message: 'An unexpected error occurred in the worker; see its log',
      }
}

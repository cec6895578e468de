/** A job that cannot be done: a code for programs, as workers have always told them, and a sentence for people. */
export class JobFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions
  ) {
    super(message, options)
    this.name = 'JobFailure'
  }

  /** What others are told beside: what was done all the same. */
  get eventData(): Readonly<Record<string, unknown>> {
    return {}
  }
}

/** How a failure is told. */
export interface FailureReport {
  readonly name: string
  readonly code: string
  readonly message: string
}

const CODE = /^[a-z][A-Za-z]{2,60}$/
const MAX_MESSAGE_LENGTH = 1_000

/** What others are told of what was thrown: codes and sentences that were made for it, and of anything else only that it happened. */
export function failureReport(error: unknown): FailureReport {
  const { name, code, message } = error as Partial<JobFailure>
  return error instanceof Error && typeof code === 'string' && CODE.test(code)
    ? { name: name ?? 'Error', code, message: (message ?? '').slice(0, MAX_MESSAGE_LENGTH) }
    : {
        name: 'Error',
        code: 'unforeseen',
        message: 'Something unforeseen went wrong in the worker; its own log says what',
      }
}

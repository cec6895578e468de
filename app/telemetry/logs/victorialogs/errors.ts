import { BadRequest } from '#kernel/failures'

/** An error of the server. Its text may contain the query, so it is never shown. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    readonly text: string
  ) {
    super(`The log store answered with the status ${status}`)
  }
}

/** The connection ended before the response, so the request may have taken effect. */
export class NoResponse extends Error {
  constructor(cause: unknown) {
    super('The log store did not answer', { cause })
  }

  /** Whether the server did not answer in time. */
  get isTimeout(): boolean {
    return (this.cause as Error).name === 'TimeoutError'
  }
}

/** The server lacks the memory for the query. */
export class QueryTooLarge extends BadRequest {
  constructor(cause: unknown) {
    super('The query is too large for the log store; narrow the filter or the time', { cause })
  }
}

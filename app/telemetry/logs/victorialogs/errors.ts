import { BadRequest } from '#kernel/failures'

/** What the server answered where it should have done something. Its text may hold the query, and is for nobody's eyes. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    readonly text: string
  ) {
    super(`The log store answered with the status ${status}`)
  }
}

/** It may have arrived or not: the connection ended before the answer. */
export class NoResponse extends Error {
  constructor(cause: unknown) {
    super('The log store did not answer', { cause })
  }

  /** Whether it had its time to answer. */
  get isTimeout(): boolean {
    return (this.cause as Error).name === 'TimeoutError'
  }
}

/** The server has not got the memory to sort or look so far. */
export class QueryTooLarge extends BadRequest {
  constructor(cause: unknown) {
    super('The log store cannot look through so much; ask for less at a time', { cause })
  }
}

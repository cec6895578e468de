const LIMIT = { default: 50, most: 100 }
const LONGEST_WAIT_MS = 30_000

export interface PullQuery {
  readonly limit: number
  readonly waitMs: number
}

/** What is asked of a mailbox; what is no number, or none that helps, is as if it was not said. */
export function readPullQuery(query: string): PullQuery {
  const parameters = new URLSearchParams(query)
  return {
    limit: Math.min(positiveIn(parameters, 'limit') ?? LIMIT.default, LIMIT.most),
    waitMs: Math.min(positiveIn(parameters, 'wait') ?? 0, LONGEST_WAIT_MS),
  }
}

/** A number of a query, without its fraction; undefined where there is none above zero. */
export function positiveIn(parameters: URLSearchParams, name: string): number | undefined {
  const value = Math.floor(Number(parameters.get(name) ?? 0))
  return value > 0 ? value : undefined
}

export const PULL_PARAMETERS = [
  {
    name: 'limit',
    description: `How many messages, ${LIMIT.most} at most; ${LIMIT.default} where nothing is said`,
    schema: { type: 'number' },
  },
  {
    name: 'wait',
    description: `Milliseconds to wait for a message where there is none, ${LONGEST_WAIT_MS} at most`,
    schema: { type: 'number' },
  },
]

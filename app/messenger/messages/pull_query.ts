const LIMIT = { default: 50, most: 100 }
const MAX_WAIT_MS = 30_000

export interface PullQuery {
  readonly limit: number
  readonly waitMs: number
}

/** What is asked of a mailbox; what is no number, or none that helps, is as if it was not said. */
export function readPullQuery(query: string): PullQuery {
  const parameters = new URLSearchParams(query)
  return {
    limit: Math.min(positiveInteger(parameters, 'limit') ?? LIMIT.default, LIMIT.most),
    waitMs: Math.min(positiveInteger(parameters, 'wait') ?? 0, MAX_WAIT_MS),
  }
}

/** A number of a query, without its fraction; undefined where there is none above zero. */
export function positiveInteger(parameters: URLSearchParams, name: string): number | undefined {
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
    description: `Milliseconds to wait for a message where there is none, ${MAX_WAIT_MS} at most`,
    schema: { type: 'number' },
  },
]

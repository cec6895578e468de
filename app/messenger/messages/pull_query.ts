const LIMIT = { default: 50, most: 100 }
const MAX_WAIT_MS = 30_000

export interface PullQuery {
  readonly limit: number
  readonly waitMs: number
}

/** Parses the parameters of a pull. Invalid numbers fall back to the defaults. */
export function readPullQuery(query: string): PullQuery {
  const parameters = new URLSearchParams(query)
  return {
    limit: Math.min(positiveInteger(parameters, 'limit') ?? LIMIT.default, LIMIT.most),
    waitMs: Math.min(positiveInteger(parameters, 'wait') ?? 0, MAX_WAIT_MS),
  }
}

/** A positive integer parameter, rounded down; undefined if it is missing or invalid. */
export function positiveInteger(parameters: URLSearchParams, name: string): number | undefined {
  const value = Math.floor(Number(parameters.get(name) ?? 0))
  return value > 0 ? value : undefined
}

export const PULL_PARAMETERS = [
  {
    name: 'limit',
    description: `Number of messages, at most ${LIMIT.most}; the default is ${LIMIT.default}`,
    schema: { type: 'number' },
  },
  {
    name: 'wait',
    description: `Milliseconds to wait for a message if there is none, at most ${MAX_WAIT_MS}`,
    schema: { type: 'number' },
  },
]

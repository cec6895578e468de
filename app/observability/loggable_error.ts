/** What may be told of an error of the database: where it arose, never the values of the row. */
const TOLD = ['code', 'table', 'column', 'constraint', 'routine', 'syscall', 'status'] as const

interface LoggableError {
  type: string
  message: string
  stack?: string
  cause?: LoggableError
  [told: string]: unknown
}

const CAUSES_AT_MOST = 3

/**
 * An error as the log shows it. Errors carry whatever the one who threw them hung on: rows, connections with their keys.
 * Only what is known to be harmless is taken over.
 */
export function loggableError(error: unknown, depth = CAUSES_AT_MOST): LoggableError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: String(error) }
  }
  const told = TOLD.map((name) => [name, (error as unknown as Record<string, unknown>)[name]])
  const known = told.filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return {
    type: error.constructor.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(known),
    ...(error.cause !== undefined && depth > 0 && { cause: loggableError(error.cause, depth - 1) }),
  }
}

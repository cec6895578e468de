/** What may be told of an error of the database: where it arose, never the values of the row. */
const LOGGED_PROPERTIES = [
  'code',
  'table',
  'column',
  'constraint',
  'routine',
  'syscall',
  'status',
] as const

interface LoggableError {
  type: string
  message: string
  stack?: string
  cause?: LoggableError
  [properties: string]: unknown
}

const MAX_CAUSES = 3

/**
 * An error as the log shows it. Errors carry whatever the one who threw them hung on: rows, connections with their keys.
 * Only what is known to be harmless is taken over.
 */
export function loggableError(error: unknown, depth = MAX_CAUSES): LoggableError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: String(error) }
  }
  const properties = LOGGED_PROPERTIES.map((name) => [
    name,
    (error as unknown as Record<string, unknown>)[name],
  ])
  const known = properties.filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number'
  )
  return {
    type: error.constructor.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(known),
    ...(error.cause !== undefined && depth > 0 && { cause: loggableError(error.cause, depth - 1) }),
  }
}

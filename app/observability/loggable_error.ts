/** The logged properties of errors, such as the table of a database error; never the values of a row. */
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

/** An error for the log. Copies known properties only, since errors may carry rows or credentials. */
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

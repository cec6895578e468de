/** The first line of the innermost error message, without credentials in addresses. */
export function reasonOf(error: unknown): string {
  const { message, code, cause, errors } = error as {
    message?: string
    code?: string
    cause?: unknown
    errors?: unknown[]
  }
  if (cause instanceof Error) {
    return reasonOf(cause)
  }
  if (!message && errors?.[0]) {
    return reasonOf(errors[0])
  }
  const text = message || code || String(error)
  return text.replaceAll(/\/\/[^/\s@]*@/g, '//').split('\n', 1)[0]!
}

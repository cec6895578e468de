const SECRET = /password|secret|token|credential/i

/** Whether what is kept under a name is nobody else's business. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name)
}

/** A body as it may be seen. */
export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(redacted)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, isSecretName(key) ? '***' : redacted(part)])
  )
}

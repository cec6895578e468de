const SECRET = /password|secret|token|credential/i

/** Whether an attribute name indicates a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name)
}

/** Replaces secrets in a body by `***`. */
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

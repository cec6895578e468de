const SECRET_NAME = /password|secret|token|authorization|cookie|credential|api_?key/i
const REDACTED = '[redacted]'
const MAX_DEPTH = 5

/** Redacts values with the name of a secret. Runs per line, since every request creates a logger. */
export function withoutSecrets(content: Record<string, unknown>): Record<string, unknown> {
  return redacted(content, MAX_DEPTH) as Record<string, unknown>
}

function redacted(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || depth === 0) {
    return value
  }
  if (Array.isArray(value)) {
    return value.map((item) => redacted(item, depth - 1))
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [
      name,
      SECRET_NAME.test(name) && content !== undefined ? REDACTED : redacted(content, depth - 1),
    ])
  )
}

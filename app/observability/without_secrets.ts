const SECRET_NAME = /password|secret|token|authorization|cookie|credential|api_?key/i
const CENSORED = '[redacted]'
const DEPTH_AT_MOST = 5

/**
 * What is logged, with whatever bears the name of a secret blackened, at any depth. Done for lines that are written, not
 * for each logger that is made: every request makes one.
 */
export function withoutSecrets(content: Record<string, unknown>): Record<string, unknown> {
  return censored(content, DEPTH_AT_MOST) as Record<string, unknown>
}

function censored(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || depth === 0) {
    return value
  }
  if (Array.isArray(value)) {
    return value.map((item) => censored(item, depth - 1))
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [
      name,
      SECRET_NAME.test(name) && content !== undefined ? CENSORED : censored(content, depth - 1),
    ])
  )
}

import type { Router } from '@adonisjs/core/http'

/**
 * Matches the static segments of a path case-insensitively, for compatibility with existing clients. Parameters keep
 * their case. Only paths without an exact match pay for the second lookup.
 */
export function matchAnyCase(router: Router): void {
  const exact = router.match.bind(router)
  router.match = (path, method, ...rest) => {
    const found = exact(path, method, ...rest)
    if (found || path === path.toLowerCase()) {
      return found
    }
    const canonical = canonicalPath(router, path, method)
    return canonical === undefined ? null : exact(canonical, method, ...rest)
  }
}

function canonicalPath(router: Router, path: string, method: string): string | undefined {
  const sent = segmentsOf(path)
  for (const { pattern, methods } of router.toJSON().root ?? []) {
    const expected = segmentsOf(pattern)
    if (methods.includes(method) && expected.length === sent.length) {
      const merged = expected.map((part, index) => mergeSegment(part, sent[index]!))
      if (merged.every((part) => part !== undefined)) {
        return `/${merged.join('/')}`
      }
    }
  }
  return undefined
}

function mergeSegment(expected: string, sent: string): string | undefined {
  if (expected.startsWith(':')) {
    return sent
  }
  return expected.toLowerCase() === sent.toLowerCase() ? expected : undefined
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '')
}

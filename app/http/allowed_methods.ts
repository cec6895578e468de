import type { Router } from '@adonisjs/core/http'

const ROUTED_METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']

/**
 * The methods that a path supports. Static segments take precedence over parameters, so a static path has only the
 * methods of its own routes.
 */
export function allowedMethods(routes: Router, path: string): string[] {
  const matches = ROUTED_METHODS.flatMap((method) => {
    const match = routes.match(path, method, false)
    return match ? [{ method, specificity: specificityOf(match.route.pattern) }] : []
  })
  const mostSpecific = matches.map(({ specificity }) => specificity).toSorted()[0]
  return matches
    .filter(({ specificity }) => specificity === mostSpecific)
    .map(({ method }) => method)
}

/** A sort key by parameter segments; static paths sort first. */
function specificityOf(pattern: string): string {
  const isParameter = (segment: string) => /^[:*]/.test(segment)
  return pattern
    .split('/')
    .map((segment) => (isParameter(segment) ? '1' : '0'))
    .join('')
}

import type { Router } from '@adonisjs/core/http'

const ROUTED_METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']

/**
 * The methods a path has. A word in a place where another route takes an id has its own methods only: nothing has the word as
 * its id.
 */
export function allowedMethods(routes: Router, path: string): string[] {
  const matches = ROUTED_METHODS.flatMap((method) => {
    const match = routes.match(path, method, false)
    return match ? [{ method, places: specificityOf(match.route.pattern) }] : []
  })
  const nearest = matches.map(({ places }) => places).toSorted()[0]
  return matches.filter(({ places }) => places === nearest).map(({ method }) => method)
}

/** Which segments are words and which are parameters; sorts words first. */
function specificityOf(pattern: string): string {
  const isParameter = (segment: string) => /^[:*]/.test(segment)
  return pattern
    .split('/')
    .map((segment) => (isParameter(segment) ? '1' : '0'))
    .join('')
}

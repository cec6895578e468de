import { issue, QueryError, type QueryParameter } from './errors.js'

/** A key may lead through this many names, the last one included. */
export const PATH_LIMIT = 32

/** Names that reach into an object's prototype. */
export const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Names every object has. */
export const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/**
 * Splits a dotted key, a little further than a path may go. Unsafe names are refused outright.
 */
export function segmentsOf(parameter: QueryParameter, key: string): string[] {
  const segments = key.split('.', PATH_LIMIT + 2)
  if (segments.some((segment) => UNSAFE.has(segment))) {
    throw new QueryError([issue(parameter, 'inputInvalid')])
  }
  return segments
}

/** A key may start with the name of the kind it is asked of, which says nothing. */
export function withoutOwnName(kind: string | undefined, segments: string[]): string[] {
  return segments.length > 1 && segments[0] === kind ? segments.slice(1) : segments
}

import { issue, QueryError, type QueryParameter } from './errors.js'

/** The maximum number of segments of a key. */
export const PATH_LIMIT = 32

/** Names that access an object's prototype. */
export const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Names that every object inherits. */
export const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Splits a dotted key, up to just beyond the limit. Unsafe names are rejected. */
export function segmentsOf(parameter: QueryParameter, key: string): string[] {
  const segments = key.split('.', PATH_LIMIT + 2)
  if (segments.some((segment) => UNSAFE.has(segment))) {
    throw new QueryError([issue(parameter, 'inputInvalid')])
  }
  return segments
}

/** Removes the redundant name of the kind from a key. */
export function withoutOwnName(kind: string | undefined, segments: string[]): string[] {
  return segments.length > 1 && segments[0] === kind ? segments.slice(1) : segments
}

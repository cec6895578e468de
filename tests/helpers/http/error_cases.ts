import type { Issue } from '#kernel/issues'
import { catalogue, type CataloguedRoute } from '#http/route_catalogue'
import { canPlay, headersOf } from '#tests/helpers/actors'
import type { ErrorFixture } from './error_fixture.js'
import { placeholdersIn, type ErrorCase, type ExpectedIssue } from '#tests/helpers/vectors'
import type { SurfaceName } from '#configuration/surfaces'

const ROUTED_METHODS = ['GET', 'POST', 'DELETE']

/**
 * Whether one of the routes takes such a request. For a method that no route ever has, a route of that path is enough.
 */
export function serves(
  routes: readonly Pick<CataloguedRoute, 'method' | 'path'>[],
  method: string,
  path: string
): boolean {
  const sent = segmentsOf(pathOf(path))
  const methods = routes
    .filter((route) => fits(segmentsOf(route.path), sent))
    .map((route) => route.method as string)
  return methods.includes(method) || (methods.length > 0 && !ROUTED_METHODS.includes(method))
}

/** Whether a surface of this process takes such a request. */
export const isServed = (surface: SurfaceName, method: string, path: string): boolean =>
  serves(catalogue.of({ name: surface }), method, path)

function fits(pattern: string[], sent: string[]): boolean {
  return (
    pattern.length === sent.length &&
    pattern.every((part, index) => part.startsWith(':') || part === sent[index])
  )
}

const pathOf = (url: string): string => url.split('?')[0]!
const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/**
 * What a case still waits for, in words; undefined where it can be tried.
 */
export function awaitedBy(entry: ErrorCase, fixture: ErrorFixture): string | undefined {
  const { surface, method, path, actor } = entry
  const awaited = [
    ...(isServed(surface, method, path)
      ? []
      : [`the route ${method} ${pathOf(path)} of ${surface}`]),
    ...(canPlay(actor) ? [] : ['a source of tokens']),
    ...placeholdersIn(entry)
      .filter((name) => !fixture.has(name))
      .map((name) => `the ${name} of the fixture`),
  ]
  return awaited.length > 0 ? `waits for ${awaited.join(' and ')}` : undefined
}

/**
 * Sends the request of a case as its actor, the headers of the case last.
 */
export async function send(entry: ErrorCase, fixture: ErrorFixture, address: string) {
  const { method, actor, headers, body, rawBody } = entry
  const json = body === undefined ? undefined : JSON.stringify(fixture.fill(body))
  return fetch(address + (fixture.fill(entry.path) as string), {
    method,
    headers: {
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(await headersOf(actor)),
      ...headers,
    },
    body: rawBody ?? json,
  })
}

/**
 * The expected issues for which the answer has no issue left, each issue of the answer being used once.
 */
export function unmetIssues(
  expected: readonly ExpectedIssue[],
  answered: readonly Issue[]
): ExpectedIssue[] {
  const left = flattened(answered)
  const mostSpecificFirst = expected.toSorted((a, b) => Number(!a.path) - Number(!b.path))
  return mostSpecificFirst.filter(({ code, path }) => {
    const index = left.findIndex(
      (item) => item.code === code && (!path || JSON.stringify(item.path) === JSON.stringify(path))
    )
    return index === -1 || left.splice(index, 1).length === 0
  })
}

function flattened(issues: readonly Issue[]) {
  return issues.flatMap((one): Exclude<Issue, { type: 'group' }>[] =>
    one.type === 'group' ? flattened(one.issues) : [one]
  )
}

/**
 * Whether a dotted path occurs in a body, `*` being every element of a list that must have some.
 */
export function occurs(body: unknown, path: string): boolean {
  return occursAt(body, path.split('.'))
}

function occursAt(value: unknown, [step, ...rest]: string[]): boolean {
  if (step === undefined) {
    return true
  }
  if (step === '*') {
    if (!Array.isArray(value) || value.length === 0) {
      throw new Error(
        `Nothing can be absent from ${JSON.stringify(value)}: it is not a list with elements`
      )
    }
    return value.some((element) => occursAt(element, rest))
  }
  const holder = value as Record<string, unknown> | null
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step)
    ? occursAt(holder[step], rest)
    : false
}

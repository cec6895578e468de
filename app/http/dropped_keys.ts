import type { HttpContext } from '@adonisjs/core/http'
import { Counter } from 'prom-client'

import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { metrics } from '#observability/metrics'
import { droppedKeysError, droppedKeysHeader, type DroppedKey } from '#query/dropped_keys'

const HEADER_LIMIT = 2_048
const MAX_ISSUES = 1_000

const counter = new Counter({
  name: 'dropped_keys_total',
  help: 'Keys of queries and bodies that had no part in the answer',
  labelNames: ['route', 'parameter'] as const,
  registers: [metrics],
})

/** Reports the ignored keys of a query in a header. Throws in strict mode (`Prefer: handling=strict`). */
export function reportDroppedQuery(ctx: HttpContext, dropped: readonly DroppedKey[]): void {
  if (dropped.length === 0) {
    return
  }
  dropped.forEach(({ parameter }) => count(ctx, parameter))
  append(ctx, droppedKeysHeader(dropped))
  if (isStrict(ctx)) {
    throw droppedKeysError(dropped)
  }
}

/** Reports ignored attributes of a body in a header. */
export function reportDroppedBody(ctx: HttpContext, paths: readonly (readonly string[])[]): void {
  if (paths.length > 0) {
    paths.forEach(() => count(ctx, 'body'))
    append(ctx, droppedNames(paths))
  }
}

/** Throws in strict mode if the body has unknown attributes. */
export function requireNothingDropped(
  ctx: HttpContext,
  paths: readonly (readonly string[])[]
): void {
  if (paths.length > 0 && isStrict(ctx)) {
    const issues = paths
      .slice(0, MAX_ISSUES)
      .map((path) => issue('keyNotAllowed', path, 'The attribute is unknown'))
    throw new BadRequest('The body has unknown attributes', { issues })
  }
}

function droppedNames(paths: readonly (readonly string[])[]): string {
  let names = ''
  for (const path of paths) {
    const name = `body.${path.map(encodeURIComponent).join('.')}`
    const longer = names === '' ? name : `${names}, ${name}`
    if (longer.length > HEADER_LIMIT) {
      return names
    }
    names = longer
  }
  return names
}

function isStrict({ request }: HttpContext): boolean {
  return /(^|[,;\s])handling\s*=\s*"?strict"?($|[,;\s])/i.test(request.header('prefer') ?? '')
}

function count({ route }: HttpContext, parameter: string): void {
  counter.inc({ route: route?.pattern ?? 'none', parameter })
}

function append({ response }: HttpContext, names: string): void {
  if (names === '') {
    return
  }
  const before = response.getHeader('x-dropped-keys')
  const header = before ? `${String(before)}, ${names}` : names
  response.header('x-dropped-keys', header.slice(0, HEADER_LIMIT))
}

import type { SurfaceName } from '#configuration/surfaces'
import { catalogue, type CataloguedRoute } from '#http/route_catalogue'
import { ACCESS_TABLE } from '#tests/helpers/world/access_table/access_table'
import type { Rule } from './access_rules.js'
import { CORE_REQUESTS } from '#tests/helpers/world/requests/core'
import { IDENTITY_REQUESTS } from '#tests/helpers/world/requests/identity'
import { requestsOfKind, type RequestMaker } from '#tests/helpers/world/requests/kinds'
import { MESSENGER_REQUESTS } from '#tests/helpers/world/requests/messenger'
import { STORAGE_REQUESTS } from '#tests/helpers/world/requests/storage'
import { TELEMETRY_REQUESTS } from '#tests/helpers/world/requests/telemetry'
import type { World } from './world.js'
import type { WorldIdentity } from './world_identity.js'
import { send, type WorldRequest } from './world_request.js'

const REQUESTS: Readonly<Record<SurfaceName, Readonly<Record<string, readonly RequestMaker[]>>>> = {
  core: CORE_REQUESTS,
  storage: STORAGE_REQUESTS,
  telemetry: TELEMETRY_REQUESTS,
  messenger: MESSENGER_REQUESTS,
  identity: IDENTITY_REQUESTS,
}

/** The routes of a surface that ask who somebody is. */
export const guardedRoutes = (surface: SurfaceName): readonly CataloguedRoute[] =>
  catalogue
    .all()
    .filter(
      (route) =>
        route.surface.name === surface &&
        route.operation.access.kind !== 'public' &&
        !route.path.startsWith('/probe/')
    )

/** The ways to use a route: as it is, and with what stands in brackets. */
const waysOf = (surface: SurfaceName, name: string): readonly string[] => [
  name,
  ...Object.keys(REQUESTS[surface]).filter((key) => key.startsWith(`${name} (`)),
]

/** What keeps the table from being complete: a route without a rule or without a request, and a rule without a route. */
export function gapsOf(surface: SurfaceName): string[] {
  const table = ACCESS_TABLE[surface]
  const routes = guardedRoutes(surface)
  const names = new Set(
    catalogue
      .all()
      .flatMap((route) => (route.surface.name === surface ? [route.operation.name] : []))
  )
  return [
    ...routes
      .filter(({ operation: { name } }) => table[name] === undefined)
      .map(({ operation, method, path }) => `${method} ${path} (${operation.name}): in no rule`),
    ...routes
      .filter((route) => makersOf(route, route.operation.name).length === 0)
      .map(({ operation, method, path }) => `${method} ${path} (${operation.name}): not requested`),
    ...[...Object.keys(table), ...Object.keys(REQUESTS[surface])]
      .map((key) => key.replace(/ \(.*/, ''))
      .filter((name) => !names.has(name))
      .map((name) => `${name}: no such route`),
  ]
}

const makersOf = (route: CataloguedRoute, way: string): readonly RequestMaker[] =>
  REQUESTS[route.surface.name as SurfaceName][way] ??
  (way === route.operation.name ? requestsOfKind(route) : undefined) ??
  []

/** Sends every request of a surface as everybody. Returns one line for each answer that is not as the table says. */
export async function crossingsIn(surface: SurfaceName, world: World): Promise<string[]> {
  const found: string[] = []
  for (const route of guardedRoutes(surface)) {
    const { name } = route.operation
    for (const way of waysOf(surface, name)) {
      const rule = ACCESS_TABLE[surface][way] ?? ACCESS_TABLE[surface][name]!
      for (const make of makersOf(route, way)) {
        found.push(...(await crossingsOf({ surface, way, rule, make, world })))
      }
    }
  }
  return found
}

interface Trial {
  readonly surface: SurfaceName
  readonly way: string
  readonly rule: Rule
  readonly make: RequestMaker
  readonly world: World
}

/** Those who must be refused come first, and at one row, which that must not change; the others get one each to change. */
async function crossingsOf(trial: Trial): Promise<string[]> {
  const { make, world, rule } = trial
  const request = await make(world)
  const may = (by: WorldIdentity) => rule.allows(by, request.row)
  const refused = world.identities.filter((by) => !may(by))
  const allowed = world.identities.filter(may)
  const lines = await Promise.all(refused.map((by) => tried(trial, request, by)))
  const isRead = request.method === 'GET'
  const others = await Promise.all(
    allowed.map(async (by) => tried(trial, isRead ? request : await make(world), by))
  )
  return [...lines, ...others].filter((line) => line !== undefined)
}

async function tried(
  { surface, way, rule }: Trial,
  request: WorldRequest,
  by: WorldIdentity
): Promise<string | undefined> {
  const { status, outcome, text } = await send(surface, request, by)
  const expected = rule.allows(by, request.row) ? 'allowed' : 'refused'
  return outcome === expected
    ? undefined
    : `${by.name} | ${surface}.${way}: ${request.method} ${request.path} | ${request.row.name} | ` +
        `${status} (${outcome}) | expected: ${expected} (${rule.says}) | ${text.slice(0, 160)}`
}

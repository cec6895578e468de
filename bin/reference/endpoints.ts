import { SERVED, type Served } from '#configuration/processes'
import { SURFACE_PREFIXES } from '#configuration/surfaces'
import type { CataloguedRoute } from '#http/route_catalogue'
import { SurfaceRoutes, type Surface } from '#http/surface'
import { describeAccess, pathTemplate } from '#openapi/operations'

import { code, table } from './tables.js'

const INTRODUCTION = `# Endpoints

Every endpoint and who may use it, generated from the routes by \`npm run docs:generate\`. The pages
\`/docs\` and \`/docs/openapi.json\` of a running hub have parameters, bodies and answers. Paths are
those of one address for all services; a service with its own address has no prefix.`

const SURFACES: Record<Served, () => Promise<{ default: Surface }>> = {
  core: () => import('#core/routes'),
  storage: () => import('#storage/routes'),
  telemetry: () => import('#telemetry/routes'),
  messenger: () => import('#messenger/routes'),
  identity: () => import('#identity/routes'),
  console: () => import('#console/routes'),
}

/** The page of all endpoints. */
export async function renderEndpoints(): Promise<string> {
  const sections: string[] = []
  for (const name of SERVED) {
    const { default: surface } = await SURFACES[name]()
    sections.push(sectionOf(surface, await routesOf(name)))
  }
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}

/** The routes that a surface declares. */
export async function routesOf(name: Served): Promise<CataloguedRoute[]> {
  const { default: surface } = await SURFACES[name]()
  const routes = new SurfaceRoutes()
  surface.routes(routes)
  return routes.declared.map((route) => ({ ...route, surface }))
}

function sectionOf(surface: Surface, routes: readonly CataloguedRoute[]): string {
  const prefix = SURFACE_PREFIXES[surface.name]
  const rows = routes.map((route) => rowOf(route, prefix))
  const endpoints = table(['Method', 'Path', 'What it does', 'Who may'], rows)
  return [`## ${surface.title}`, `${surface.summary}.`, endpoints].join('\n\n')
}

function rowOf({ method, path, operation }: CataloguedRoute, prefix: string): readonly string[] {
  return [
    method,
    code(prefix + pathTemplate(path)),
    operation.summary,
    describeAccess(operation.access),
  ]
}

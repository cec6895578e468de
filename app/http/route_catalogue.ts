import { SURFACE_PREFIXES } from '#configuration/surfaces'
import type { DeclaredRoute, Surface } from './surface.js'

export interface CataloguedRoute extends DeclaredRoute {
  surface: Surface
}

/** The routes of this process by surface. The OpenAPI documents and tests are derived from it. */
class RouteCatalogue {
  readonly #surfaces = new Map<Surface['name'], Surface>()
  readonly #routes: CataloguedRoute[] = []

  add(surface: Surface, routes: readonly DeclaredRoute[]): void {
    if (!this.#surfaces.has(surface.name)) {
      this.#surfaces.set(surface.name, surface)
    }
    this.#routes.push(...routes.map((route) => ({ ...route, surface })))
  }

  get surfaces(): Surface[] {
    return [...this.#surfaces.values()]
  }

  /** The surface with pages that a path belongs to, whether or not it has a route. */
  withPagesAt(path: string): Surface | undefined {
    const sent = `${path.toLowerCase()}/`
    return this.surfaces.find(
      ({ name, showFailure }) => showFailure && sent.startsWith(`${SURFACE_PREFIXES[name]}/`)
    )
  }

  of({ name }: Pick<Surface, 'name'>): CataloguedRoute[] {
    return this.#routes.filter((route) => route.surface.name === name)
  }

  all(): readonly CataloguedRoute[] {
    return this.#routes
  }

  /** The routes for programs. The console has pages for people. */
  ofInterfaces(): readonly CataloguedRoute[] {
    return this.#routes.filter(({ surface }) => surface.name !== 'console')
  }
}

export const catalogue = new RouteCatalogue()

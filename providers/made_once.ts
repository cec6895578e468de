import type { ApplicationService } from '@adonisjs/core/types'

type Container = ApplicationService['container']

/** A class whose constructor names by `@inject()` what it needs. */
interface Service {
  new (...dependencies: never[]): object
  readonly containerInjections?: {
    readonly _constructor?: { readonly dependencies: readonly (abstract new () => object)[] }
  }
}

/** Has the container make each of these classes once per process, when it is first needed. */
export function makeOnce(container: Container, services: readonly Service[]): void {
  for (const Made of services) {
    container.singleton(Made, async (resolver) => {
      const { dependencies = [] } = Made.containerInjections?._constructor ?? {}
      const made = await Promise.all(dependencies.map((needed) => resolver.make(needed)))
      return new Made(...(made as never[]))
    })
  }
}

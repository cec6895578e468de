import app from '@adonisjs/core/services/app'

import { publicPrefix, type Served, type SurfaceName } from '#configuration/surfaces'

/** What every room may know of the installation and of this process: `config/app.ts`. */
export interface AppSettings {
  /** The public address of the installation. */
  readonly appUrl: string
  /** The key that seals, followed by previous ones that only unseal. */
  readonly appKeys: readonly [string, ...string[]]
  readonly isProduction: boolean
  /** Whether `/docs` is also served in production. */
  readonly hasDocs: boolean
  /** The services that this process works for. */
  readonly surfaces: readonly SurfaceName[]
  /** Where clients log in, if the provider is not the embedded one. */
  readonly identityUrl: string | undefined
  /** What shares its public address. */
  readonly served: readonly Served[]
}

export const appSettings = (): AppSettings => app.config.get('app')

/** The public address of a surface, also in processes that do not serve it. */
export function surfaceUrl(surface: Served): string {
  const { appUrl, served } = appSettings()
  return appUrl + publicPrefix(surface, served)
}

import app from '@adonisjs/core/services/app'

import { publicPrefix, type SurfaceName } from '#configuration/surfaces'

/** What every room may know of the installation and of this process: `config/app.ts`. */
export interface AppSettings {
  /** The public address of the installation. */
  readonly appUrl: string
  /** The key that seals, followed by previous ones that only unseal. */
  readonly appKeys: readonly [string, ...string[]]
  readonly isProduction: boolean
  /** Whether `/docs` is also served in production. */
  readonly hasDocs: boolean
  /** The surfaces that this process works for. */
  readonly surfaces: readonly SurfaceName[]
}

export const appSettings = (): AppSettings => app.config.get('app')

/** The public address of a surface, also in processes that do not serve it. */
export function surfaceUrl(surface: SurfaceName): string {
  const { appUrl, surfaces } = appSettings()
  return appUrl + publicPrefix(surface, surfaces)
}

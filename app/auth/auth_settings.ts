import app from '@adonisjs/core/services/app'

import type { PermissionPolicy } from '#auth/verification/permission_policy'

/** Where requests carry access tokens. */
export interface TokenSources {
  /** The cookie of browsers that cannot send a header. */
  readonly cookie: string
  /** Further origins whose requests may use the cookie. */
  readonly origins: readonly string[]
}

/**
 * How callers are authenticated, how far the identity provider is relied on, and what permissions apply to:
 * `config/auth.ts`.
 */
export interface AuthSettings {
  /** More records than this may not go missing at the provider at once. */
  readonly removalLimit: number
  readonly tokenSources: TokenSources
  readonly permissionPolicy: PermissionPolicy
}

export const authSettings = (): AuthSettings => app.config.get('auth')

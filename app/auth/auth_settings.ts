import app from '@adonisjs/core/services/app'

/** How far the identity provider is relied on: `config/auth.ts`. */
export interface AuthSettings {
  /** More records than this may not go missing at the provider at once. */
  readonly removalLimit: number
}

export const authSettings = (): AuthSettings => app.config.get('auth')

import type { IdentityProvider } from '#auth/provider'

/** The provider of this process. It is there once the application is. */
export async function identityProvider(): Promise<IdentityProvider> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make('identity')
}

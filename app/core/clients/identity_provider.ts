import { IdentityProvider } from '#auth/provider'

/** The identity provider of this process. Requires a booted application. */
export async function identityProvider(): Promise<IdentityProvider> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make(IdentityProvider)
}

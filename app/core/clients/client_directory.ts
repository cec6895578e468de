import { IdentityUnavailable } from '#kernel/failures'
import type { ClientDirectory, IdentityProvider } from '#auth/provider'

export type ClientProvider = Pick<IdentityProvider, 'clients' | 'whenReady'>

/** The client directory of a provider. Throws if it has none, so that no record is created that could never log in. */
export async function requireClients(provider: ClientProvider): Promise<ClientDirectory> {
  await provider.whenReady()
  if (!provider.clients) {
    throw new IdentityUnavailable(
      'The identity provider has no client directory, which nodes and analyses need: use a provider that offers /clients'
    )
  }
  return provider.clients
}

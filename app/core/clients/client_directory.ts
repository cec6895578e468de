import { IdentityUnavailable } from '#kernel/failures'
import type { ClientDirectory, IdentityProvider } from '#auth/provider'

export type ClientProvider = Pick<IdentityProvider, 'clients' | 'whenReady'>

/**
 * The clients of a provider, once it is known whether it keeps any; throws where it keeps none for others, so that nothing
 * is created that could never log in.
 */
export async function requireClients(provider: ClientProvider): Promise<ClientDirectory> {
  await provider.whenReady()
  if (!provider.clients) {
    throw new IdentityUnavailable(
      'The identity provider keeps no clients for nodes and analyses; they need one that offers /clients'
    )
  }
  return provider.clients
}

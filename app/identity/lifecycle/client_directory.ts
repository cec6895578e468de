import { IdentityUnavailable } from '#http/failures'
import type { ClientDirectory, IdentityProvider } from '#identity/provider'

/**
 * The clients of a provider; throws where it keeps none for others, so that nothing is created that could never log in.
 */
export function clientsOf({ clients }: Pick<IdentityProvider, 'clients'>): ClientDirectory {
  if (!clients) {
    throw new IdentityUnavailable(
      'The identity provider keeps no clients for nodes and analyses; they need one that offers /clients'
    )
  }
  return clients
}

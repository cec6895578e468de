import { requireClient, requireGrantType } from '#identity/embedded/oauth/clients'
import { grantedScope } from '#identity/embedded/oauth/scopes'
import { clientToken } from '#identity/embedded/tokens/issue'
import type { Grant } from './grant.js'

/** A token for a client itself. */
export const clientCredentialsGrant: Grant = async (request) => {
  const { parameters, credentials, realm, source } = request
  const client = await requireClient(credentials, realm, source)
  requireGrantType(client, 'client_credentials')
  return clientToken(client, grantedScope(parameters.scope))
}

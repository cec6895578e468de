import {
  configuredSecret,
  persistentSecretOf,
  DEFAULT_SECRET,
} from '#configuration/initial_secrets'
import { publicPrefix } from '#configuration/surfaces'
import type { Env } from '#configuration/variables'
import { sendRequest, jsonOf } from './send_request.js'

/** The address of the external or embedded provider. */
const providerAddress = ({ IDENTITY_URL, PUBLIC_URL, SURFACES }: Env): string =>
  IDENTITY_URL ?? PUBLIC_URL + publicPrefix('identity', SURFACES)

/** The secret of the platform's client that this machine knows. */
export const platformSecret = (env: Env): string =>
  configuredSecret('platform', env) ?? persistentSecretOf('platform', env).read() ?? DEFAULT_SECRET

/** Requests a token for the platform's client; resolves to the refusal if there is none. */
export async function ownToken(
  env: Env,
  endpoint = `${providerAddress(env)}/token`
): Promise<{ token: string } | { refusal: string }> {
  const response = await sendRequest(endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: env.CLIENT_ID,
      client_secret: platformSecret(env),
      realm_name: env.REALM,
    }),
  })
  const answer = await jsonOf(response)
  const token: unknown = answer?.access_token
  return typeof token === 'string' ? { token } : { refusal: `it responded with ${response.status}` }
}

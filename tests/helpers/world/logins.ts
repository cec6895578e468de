import type { Actor } from '#kernel/actor'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { byPassword, bySecret, type Answered } from '#tests/functional/identity/provider'
import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'

/** A login at the provider, and whom it takes its owner for. */
export interface Login {
  readonly actor: Actor
  readonly issued: Record<string, string>
}

export async function loginByPassword(
  username: string,
  password: string,
  realmId: string
): Promise<Login> {
  return loginOf(await byPassword({ username, password, realm_id: realmId }))
}

export async function loginBySecret(id: string, secret: string): Promise<Login> {
  return loginOf(await bySecret({ client_id: id, client_secret: secret }))
}

async function loginOf({ status, body }: Answered): Promise<Login> {
  const verifier = new TokenVerifier(await embeddedProvider(), { trustMs: 0, distrustMs: 0 })
  const actor = await verifier.verify(body.access_token)
  if (!actor) {
    throw new Error(`The provider does not know this login: ${status} ${JSON.stringify(body)}`)
  }
  return { actor, issued: { authorization: `Bearer ${body.access_token}` } }
}

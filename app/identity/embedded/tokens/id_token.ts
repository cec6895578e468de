import type { UserAccount } from '#identity/embedded/accounts'
import { covers } from '#identity/embedded/oauth/scopes'
import { ID_TOKEN_SECONDS } from './lifetimes.js'
import { sign } from './sign.js'

/** The claims about a user. The mail address only with the scope `email`. */
export function userClaims(user: UserAccount, scope: string) {
  return {
    name: user.displayName ?? user.name,
    preferred_username: user.name,
    given_name: user.firstName ?? undefined,
    family_name: user.lastName ?? undefined,
    ...(covers(scope, 'email') && { email: user.email ?? undefined }),
    sub_kind: user.kind,
    realm_id: user.realmId,
    realm_name: user.realmName,
  }
}

interface SignIn {
  /** The client, by the name or id that it used. */
  readonly audience: string
  readonly nonce: string | null
  readonly signedInAt: Date
}

/** Signs an ID token. It has no `kind`, so it is not accepted as any other token. */
export function signIdToken(
  user: UserAccount,
  scope: string,
  { audience, nonce, signedInAt }: SignIn
): Promise<string> {
  return sign(
    user,
    {
      ...userClaims(user, scope),
      aud: audience,
      auth_time: Math.floor(signedInAt.getTime() / 1000),
      ...(nonce !== null && { nonce }),
    },
    ID_TOKEN_SECONDS
  )
}

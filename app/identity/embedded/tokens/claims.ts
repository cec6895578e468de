/** The claims of the provider's tokens. */
export interface Claims {
  readonly iss: string
  readonly sub: string
  readonly sub_kind: 'user' | 'client'
  readonly realm_id: string
  readonly realm_name: string
  /** The client itself, or the one that the user signed in through. */
  readonly client_id?: string
  readonly scope: string
  readonly kind: 'access_token' | 'refresh_token'
  /** The id for revocation. */
  readonly jti: string
  /** The session of a user. The token ends with it. */
  readonly sid?: string
  /** The token generation of a client. Tokens of older generations are invalid. */
  readonly generation?: number
  readonly iat: number
  readonly exp: number
}

/** The subject of a token. */
export interface Subject {
  readonly kind: 'user' | 'client'
  readonly id: string
  readonly realmId: string
  readonly realmName: string
}

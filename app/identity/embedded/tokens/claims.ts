/** What tokens of the provider say. */
export interface Claims {
  readonly iss: string
  readonly sub: string
  readonly sub_kind: 'user' | 'client'
  readonly realm_id: string
  readonly realm_name: string
  /** The client itself, or the one a user signed in through. */
  readonly client_id?: string
  readonly scope: string
  readonly kind: 'access_token' | 'refresh_token'
  /** What the token can be revoked by. */
  readonly jti: string
  /** The session of a user that it belongs to, and ends with. */
  readonly sid?: string
  /** How often a client's tokens had been ended when this one was made; those from before are over. */
  readonly generation?: number
  readonly iat: number
  readonly exp: number
}

/** Everything about whom a token is for. */
export interface Subject {
  readonly kind: 'user' | 'client'
  readonly id: string
  readonly realmId: string
  readonly realmName: string
}

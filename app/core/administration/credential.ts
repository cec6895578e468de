/** A credential that expires, or that was not rotated for a long time. */
export interface Credential {
  readonly type: 'signingKey' | 'nodeSecret'
  readonly id: string
  /** The name of the node. Null for keys. */
  readonly name: string | null
  /** When a secret was set. */
  readonly since: string | null
  /** Null for a secret, which does not expire. */
  readonly expiresAt: string | null
  /** Whether the platform renews it automatically. */
  readonly isRenewed: boolean
}

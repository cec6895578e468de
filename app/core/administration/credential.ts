/** Something that is good until a moment that is known, or that has been the same for long. */
export interface Credential {
  readonly type: 'signingKey' | 'nodeSecret'
  readonly id: string
  /** Of the node; keys have none. */
  readonly name: string | null
  /** Since when a secret is the one it is. */
  readonly since: string | null
  /** Null for a secret, which has no end. */
  readonly expiresAt: string | null
  /** Whether the platform makes the next one by itself. */
  readonly isRenewed: boolean
}

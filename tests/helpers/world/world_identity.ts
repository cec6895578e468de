import type { Actor } from '#kernel/actor'
import { isMasterMember } from '#kernel/realm'
import { identity } from '#tests/helpers/identities'

/** A caller of the world of three realms: who it is, and what it is the program of. */
export interface WorldIdentity {
  readonly name: string
  readonly headers: Record<string, string>
  /** Undefined for an anonymous caller, who has no token either. */
  readonly actor?: Actor
  readonly token?: string
  /** The headers with the token that the provider issued, if there is one. */
  readonly issued?: Record<string, string>
  /** The node whose client this is. */
  readonly nodeId?: string
  /** The analysis whose client this is. */
  readonly analysisId?: string
}

/** What an identity is the program of, and its token of the provider. */
export type Of = Pick<WorldIdentity, 'nodeId' | 'analysisId' | 'issued'>

export const ANONYMOUS: WorldIdentity = { name: 'an anonymous caller', headers: {} }

/**
 * An identity that a credential of the provider stands for. Its requests carry a token of the tests with the same actor,
 * which costs no verification.
 */
export function asIdentity(name: string, actor: Actor, of: Of = {}): WorldIdentity {
  const { token, headers } = identity({ ...actor, permissions: [...actor.permissions] })
  const { nodeId, analysisId, issued } = of
  return { name, actor, token, headers, nodeId, analysisId, issued }
}

export const isOfMaster = ({ actor }: WorldIdentity): boolean =>
  actor !== undefined && isMasterMember(actor)

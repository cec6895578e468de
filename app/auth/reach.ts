import type { Actor } from '#kernel/actor'

/**
 * What somebody may reach who was let in to the client of a record: what they may do themselves, and what such a client may do by
 * being one.
 */
export function reachOf(actor: Actor, ofTheirClients: readonly string[]): Actor {
  return { ...actor, permissions: new Set([...actor.permissions, ...ofTheirClients]) }
}

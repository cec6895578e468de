import type { Actor } from '#kernel/actor'

/**
 * What an actor may reach that was let in to the client of a record: what it may do itself, and what such a client may do by
 * being one.
 */
export function reachOf(actor: Actor, clientPermissions: readonly string[]): Actor {
  return { ...actor, permissions: new Set([...actor.permissions, ...clientPermissions]) }
}

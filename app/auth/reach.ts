import type { Actor } from '#kernel/actor'

/** An actor with the permissions of the record clients that it manages, in addition to its own. */
export function reachOf(actor: Actor, clientPermissions: readonly string[]): Actor {
  return { ...actor, permissions: new Set([...actor.permissions, ...clientPermissions]) }
}

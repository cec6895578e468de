import type { Actor } from '#kernel/actor'
import { where, type Condition } from '#query/condition'
import type { Kind } from '#records/kind'
import { isMasterMember } from '#kernel/realm'
import type { Scope } from '#records/record_reads'

/** The records that an actor may see: those of its realm and those without a realm; in the master realm all. */
export function visibleRealm(actor: Actor, { realm }: Kind): readonly Condition[] {
  return isMasterMember(actor) ? [] : [where.in(realm!, [actor.realmId, null])]
}

/** The records that an actor with a permission may see; without it only itself. */
export function ownOrRealm(permission: string): Scope {
  return (actor, kind) =>
    actor.permissions.has(permission)
      ? visibleRealm(actor, kind)
      : [where.sql((row, bind) => `${row}.id = ${bind(actor.id)}::uuid`)]
}

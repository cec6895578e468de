import type { Actor } from '#kernel/actor'
import { where, type Condition } from '#query/condition'
import { columnOf } from '#query/sql/identifiers'
import type { Kind } from '#records/kind'
import { isMasterMember } from '#kernel/realm'
import type { Scope } from '#records/record_reads'

/**
 * The records of the provider an actor may see: those of its own realm and of none, in the master realm all.
 */
export function visibleRealm(actor: Actor, { realm, columns }: Kind): readonly Condition[] {
  if (isMasterMember(actor)) {
    return []
  }
  const column = columnOf(realm!, columns[realm!]!)
  return [
    where.sql((row, bind) => {
      const value = `${row}."${column}"`
      return `(${value} is null or ${value} = ${bind(actor.realmId)}::uuid)`
    }),
  ]
}

/** The records that somebody with a permission may see; everybody else sees its own. */
export function ownOrRealm(permission: string): Scope {
  return (actor, kind) =>
    actor.permissions.has(permission)
      ? visibleRealm(actor, kind)
      : [where.sql((row, bind) => `${row}.id = ${bind(actor.id)}::uuid`)]
}

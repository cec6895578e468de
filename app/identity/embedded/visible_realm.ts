import type { Actor } from '#kernel/actor'
import { where, type Condition } from '#query/condition'
import { columnOf } from '#query/sql/identifiers'
import type { Kind } from '#records/kind'
import { isMasterMember } from '#kernel/realm'

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

/** Somebody's own record, for those who may see no other. */
export function onlyOwn({ id }: Actor): readonly Condition[] {
  return [where.sql((row, bind) => `${row}.id = ${bind(id)}::uuid`)]
}

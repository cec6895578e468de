import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { reference } from './rules.js'
import type { Kind } from '#records/kind'
import type { ModelClass, RecordModel } from '#records/model'
import type { Attributes } from '#records/row'

/** Who can be given something, and what. */
type Owner = 'user' | 'client' | 'role'
type AssignedKind = 'role' | 'permission' | 'scope'

/**
 * A kind of record that says who was given what. Its records are part of their owner: a caller that may update that may write them,
 * and one that may read it sees them, unless they have permissions of their own.
 */
export interface Assignment<M extends ModelClass = ModelClass> {
  readonly kind: Kind<M>
  readonly owner: Owner
  readonly assigned: AssignedKind
}

/** Records that name two others. */
type ModelWithIds<Ids extends string> = ModelClass &
  (new () => RecordModel & { [Name in Ids]: string })

/** Declares such a kind, whose records name both. */
export const assignment = <
  O extends Owner,
  G extends AssignedKind,
  M extends ModelWithIds<`${NoInfer<O>}Id` | `${NoInfer<G>}Id`>,
>(
  owner: O,
  assigned: G,
  kind: Kind<M>
): Assignment<M> => ({ kind, owner, assigned })

/** The id of what a record of such a kind names. */
export function idIn(named: Owner | AssignedKind, { [`${named}Id`]: id }: Attributes): string {
  if (typeof id !== 'string') {
    throw new TypeError(`An assignment without a ${named} is none`)
  }
  return id
}

export const updateAssignment = body({ policyId: reference })

/** Assignments are found by each of their ids. */
export const assignmentKeys = <Id extends string>(...ids: readonly Id[]) => {
  const keys = ['id', ...ids, 'policyId'] as const
  const times = ['createdAt', 'updatedAt'] as const
  return { filters: keys, sorts: times, indexes: [...keys, ...times].map((key) => [key] as const) }
}

/** What is asked of a caller that reads or writes assignments of an owner. */
export function assignmentAccess(owner: Owner): Kind['access'] {
  const writing = requires(`${owner}_update`)
  return { read: requires(`${owner}_read`), create: writing, update: writing, remove: writing }
}

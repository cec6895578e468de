import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { reference } from './rules.js'
import type { Kind } from '#records/kind'
import type { ModelClass, RecordModel } from '#records/model'
import type { Attributes } from '#records/row'

/** The sides of an assignment. */
type Owner = 'user' | 'client' | 'role'
type AssignedKind = 'role' | 'permission' | 'scope'

/**
 * A kind of record that assigns something to an owner. Unless it has permissions of its own, reading and writing it
 * needs those for its owner.
 */
export interface Assignment<M extends ModelClass = ModelClass> {
  readonly kind: Kind<M>
  readonly owner: Owner
  readonly assigned: AssignedKind
}

/** Models with two foreign keys. */
type ModelWithIds<Ids extends string> = ModelClass &
  (new () => RecordModel & { [Name in Ids]: string })

/** Declares an assignment kind whose records have the ids of both sides. */
export const assignment = <
  O extends Owner,
  G extends AssignedKind,
  M extends ModelWithIds<`${NoInfer<O>}Id` | `${NoInfer<G>}Id`>,
>(
  owner: O,
  assigned: G,
  kind: Kind<M>
): Assignment<M> => ({ kind, owner, assigned })

/** The id of one side of an assignment. */
export function idIn(named: Owner | AssignedKind, { [`${named}Id`]: id }: Attributes): string {
  if (typeof id !== 'string') {
    throw new TypeError(`The assignment has no ${named}Id`)
  }
  return id
}

export const updateAssignment = body({ policyId: reference })

/** Assignments can be filtered by each of their ids. */
export const assignmentKeys = <Id extends string>(...ids: readonly Id[]) => {
  const keys = ['id', ...ids, 'policyId'] as const
  const times = ['createdAt', 'updatedAt'] as const
  return { filters: keys, sorts: times, indexes: [...keys, ...times].map((key) => [key] as const) }
}

/** The permissions for assignments of an owner. */
export function assignmentAccess(owner: Owner): Kind['access'] {
  const writing = requires(`${owner}_update`)
  return { read: requires(`${owner}_read`), create: writing, update: writing, remove: writing }
}

import { holding } from '#kernel/access'
import { body } from '#kernel/body'
import { reference } from './rules.js'
import type { Kind } from '#records/kind'

/** Who can be given something, and what. */
type Owner = 'user' | 'client' | 'role'
type Given = 'role' | 'permission' | 'scope'

/**
 * A kind of record that says who was given what. Its records are part of their owner: whoever may update that may write them,
 * and whoever may read it sees them, unless they have permissions of their own.
 */
export interface Assignment {
  readonly kind: Kind
  readonly owner: Owner
  readonly given: Given
}

export const updateAssignment = body({ policyId: reference })

/** Assignments are found by each of their ids. */
export const assignmentKeys = <Id extends string>(...ids: readonly Id[]) => {
  const keys = ['id', ...ids, 'policyId'] as const
  const times = ['createdAt', 'updatedAt'] as const
  return { filters: keys, sorts: times, indexes: [...keys, ...times].map((key) => [key] as const) }
}

/** What is asked of whoever reads or writes assignments of an owner. */
export function writtenWith(owner: Owner): Kind['access'] {
  const writing = holding(`${owner}_update`)
  return { read: holding(`${owner}_read`), create: writing, update: writing, remove: writing }
}

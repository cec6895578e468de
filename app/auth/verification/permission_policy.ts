import type { Actor } from '#kernel/actor'

export type Attributes = Readonly<Record<string, unknown>>

/** Decides whether a granted permission applies to a record with these attributes. */
export type PermissionPolicy = (actor: Actor, permission: string, attributes: Attributes) => boolean

/** Grants have no conditions, so a permission applies to everything. */
const always: PermissionPolicy = () => true

let current = always

export const permissionPolicy: PermissionPolicy = (actor, permission, attributes) =>
  current(actor, permission, attributes)

/** Sets a policy until the returned function is called. */
export function usePermissionPolicy(policy: PermissionPolicy): () => void {
  const previous = current
  current = policy
  return () => {
    current = previous
  }
}

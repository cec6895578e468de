import type { Actor } from '#kernel/actor'

export type Attributes = Readonly<Record<string, unknown>>

/**
 * Decides whether a permission that is held may be used on what has these attributes.
 */
export type PermissionPolicy = (actor: Actor, permission: string, attributes: Attributes) => boolean

/** Grants carry no conditions, so the holder of a permission may use it on anything. */
const always: PermissionPolicy = () => true

let current = always

export const permissionPolicy: PermissionPolicy = (actor, permission, attributes) =>
  current(actor, permission, attributes)

/**
 * Puts a policy in place until the returned function is called.
 */
export function usePermissionPolicy(policy: PermissionPolicy): () => void {
  const previous = current
  current = policy
  return () => {
    current = previous
  }
}

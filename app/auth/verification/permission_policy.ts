import type { Actor } from '#kernel/actor'

export type Attributes = Readonly<Record<string, unknown>>

/** Decides whether a granted permission applies to a record with these attributes. */
export type PermissionPolicy = (actor: Actor, permission: string, attributes: Attributes) => boolean

/** Grants have no conditions, so a permission applies to everything. */
export const appliesToAll: PermissionPolicy = () => true

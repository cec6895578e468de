import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isMasterMember, isRealmWritable } from '#kernel/realm'

import { authSettings } from '#auth/auth_settings'
import type { Attributes } from './permission_policy.js'

/** A condition on an actor: undefined if it is met, else the failure. */
export type Check = (actor: Actor) => PermissionDenied | undefined

/**
 * Throws the first failure: `requireThat(actor, either(isClient(node.clientId), hasPermission('node_update', node)))`.
 */
export function requireThat(actor: Actor, ...checks: readonly Check[]): void {
  const refusal = all(...checks)(actor)
  if (refusal) {
    throw refusal
  }
}

/** The actor has a permission and may use it on a record with these attributes. */
export const hasPermission =
  (permission: string, attributes: Attributes = {}): Check =>
  (actor) => {
    const isGranted = actor.permissions.has(permission)
    return isGranted && authSettings().permissionPolicy(actor, permission, attributes)
      ? undefined
      : PermissionDenied.missing([permission])
  }

/** The actor may write records of this realm. */
export const mayWriteIn =
  (realmId: string | null): Check =>
  (actor) =>
    isRealmWritable(actor, realmId)
      ? undefined
      : new PermissionDenied('The record belongs to another realm')

/** The actor is a member of the master realm. */
export const isOfMasterRealm: Check = (actor) =>
  isMasterMember(actor) ? undefined : new PermissionDenied('This is for the master realm only')

/** The actor is this client. Never met without a client. */
export const isClient =
  (clientId: string | null): Check =>
  ({ kind, id }) =>
    kind === 'client' && id === clientId
      ? undefined
      : new PermissionDenied('This is for the client of the record only')

/** The actor is of this kind. */
export const isKind =
  (...kinds: readonly Actor['kind'][]): Check =>
  ({ kind }) =>
    kinds.includes(kind)
      ? undefined
      : new PermissionDenied(`This is for a ${kinds.join(' or a ')} only`)

/** All conditions are met; otherwise the first failure. */
export const all =
  (...checks: readonly Check[]): Check =>
  (actor) => {
    for (const check of checks) {
      const refusal = check(actor)
      if (refusal) {
        return refusal
      }
    }
    return undefined
  }

/** One condition is met; otherwise the last failure. */
export const either =
  (...checks: readonly Check[]): Check =>
  (actor) => {
    let refusal: PermissionDenied | undefined
    for (const check of checks) {
      refusal = check(actor)
      if (!refusal) {
        return undefined
      }
    }
    return refusal
  }

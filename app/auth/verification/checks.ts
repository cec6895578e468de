import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isMasterMember, isRealmWritable } from '#kernel/realm'

import { permissionPolicy, type Attributes } from './permission_policy.js'

/**
 * One thing that may be asked of an actor: undefined where it is so, else the refusal.
 */
export type Check = (actor: Actor) => PermissionDenied | undefined

/** Throws the first refusal: `requireThat(actor, either(isClient(node.clientId), holds('node_update', node)))`. */
export function requireThat(actor: Actor, ...checks: readonly Check[]): void {
  const refusal = all(...checks)(actor)
  if (refusal) {
    throw refusal
  }
}

/** The actor holds a permission and may use it on what has these attributes. */
export const hasPermission =
  (permission: string, attributes: Attributes = {}): Check =>
  (actor) => {
    const isGranted = actor.permissions.has(permission)
    return isGranted && permissionPolicy(actor, permission, attributes)
      ? undefined
      : PermissionDenied.missing([permission])
  }

/** The actor may write what belongs to this realm. */
export const mayWriteIn =
  (realmId: string | null): Check =>
  (actor) =>
    isRealmWritable(actor, realmId)
      ? undefined
      : new PermissionDenied('The record belongs to another realm')

/** The actor belongs to the realm that stands above the others. */
export const isOfMasterRealm: Check = (actor) =>
  isMasterMember(actor) ? undefined : new PermissionDenied('This is for the master realm only')

/** The actor is this client; no actor is where there is none. */
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

/** Everything is so; the first refusal is the answer where not. */
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

/** One of them is so; the last refusal is the answer where none is. */
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

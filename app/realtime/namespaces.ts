import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isMasterMember } from '#kernel/realm'

const ROOT = '/'
const GLOBAL = '/resources'
const NAMESPACE = /^\/resources(?:[:/]([\w-]{1,128}))?$/

/** Whether this is a namespace of records: one for all realms, and one per realm, which clients write in two ways. */
export function isNamespace(name: string): boolean {
  return NAMESPACE.test(name)
}

/** Whether this is the namespace of all realms. */
export function isGlobal(name: string): boolean {
  return name === GLOBAL
}

/** All names that clients use for a namespace. */
export function namespaceAliases(namespace: string): string[] {
  const realmId = realmOf(namespace)
  return realmId === undefined ? [namespace] : [`${GLOBAL}/${realmId}`, `${GLOBAL}:${realmId}`]
}

/** Throws if the caller may not receive events of the namespace. */
export function requireMember(actor: Actor, namespace: string): void {
  const realmId = realmOf(namespace)
  if (namespace === ROOT) {
    return
  }
  const isOpen = isGlobal(namespace) ? hasRealm(actor) : realmId === actor.realmId
  if (!isMasterMember(actor) && !(hasRealm(actor) && isOpen)) {
    throw new PermissionDenied('The namespace belongs to a realm that is not yours')
  }
}

const hasRealm = ({ realmId }: Actor): boolean => realmId !== null

/** The name of a room for a caller. In the namespace of all realms, members of one realm receive only its records. */
export function roomFor(actor: Actor, namespace: string, room: string): string {
  return isGlobal(namespace) && !isMasterMember(actor) ? `${actor.realmId}:${room}` : room
}

function realmOf(namespace: string): string | undefined {
  return NAMESPACE.exec(namespace)?.[1]
}

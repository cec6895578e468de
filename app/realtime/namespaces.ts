import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isMasterMember } from '#kernel/realm'

const ROOT = '/'
const GLOBAL = '/resources'
const NAMESPACE = /^\/resources(?:[:/]([\w-]{1,128}))?$/

/** The namespaces of records: one for all of them, and one for each realm, which clients write in two ways. */
export function isNamespace(name: string): boolean {
  return NAMESPACE.test(name)
}

/** Whether it is the namespace of all realms. */
export function isGlobal(name: string): boolean {
  return name === GLOBAL
}

/** Every way in which clients may have written a namespace. */
export function namespaceAliases(namespace: string): string[] {
  const realmId = realmOf(namespace)
  return realmId === undefined ? [namespace] : [`${GLOBAL}/${realmId}`, `${GLOBAL}:${realmId}`]
}

/** Throws where the caller may not receive what is told there. */
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

/** A room of a namespace as it is for a caller: in the namespace of all realms, members of one realm are told of that realm's records only. */
export function roomFor(actor: Actor, namespace: string, room: string): string {
  return isGlobal(namespace) && !isMasterMember(actor) ? `${actor.realmId}:${room}` : room
}

function realmOf(namespace: string): string | undefined {
  return NAMESPACE.exec(namespace)?.[1]
}

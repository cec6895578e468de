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
export function spellingsOf(namespace: string): string[] {
  const realmId = realmOf(namespace)
  return realmId === undefined ? [namespace] : [`${GLOBAL}/${realmId}`, `${GLOBAL}:${realmId}`]
}

/** Throws where the caller may not receive what is told there. */
export function requireMember(actor: Actor, namespace: string): void {
  const realmId = realmOf(namespace)
  if (namespace === ROOT) {
    return
  }
  if (isMasterMember(actor) || (realmId !== undefined && realmId === actor.realmId)) {
    return
  }
  throw new PermissionDenied(
    isGlobal(namespace)
      ? 'The namespace of all realms is for the master realm only; use that of your realm'
      : 'The namespace belongs to another realm'
  )
}

function realmOf(namespace: string): string | undefined {
  return NAMESPACE.exec(namespace)?.[1]
}

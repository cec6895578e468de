import type { Actor } from './actor.js'
import { PermissionDenied, Unauthorized } from './failures.js'
import { isMasterMember } from './realm.js'

/**
 * What a caller must have for a route to be entered. Rules that need the record (realm, ownership) stand in the service.
 */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'identity' }
  | { readonly kind: 'permissions'; readonly all: readonly string[]; readonly isCentral?: true }
  | { readonly kind: 'permissions'; readonly any: readonly string[] }

/** Every caller, logged in or not. */
export const everybody: Access = { kind: 'public' }

/** Every caller the identity provider vouches for. */
export const loggedIn: Access = { kind: 'identity' }

/** Callers that hold each of the permissions. */
export const holding = (...all: string[]): Access => ({ kind: 'permissions', all })

/** Callers that hold each of the permissions and belong to the master realm: for what belongs to the installation. */
export const holdingCentrally = (...all: string[]): Access => ({
  kind: 'permissions',
  all,
  isCentral: true,
})

/** Callers that hold one of the permissions. */
export const holdingAny = (...any: string[]): Access => ({ kind: 'permissions', any })

/**
 * Lets the caller in or throws the failure that says what is missing.
 */
export function enforce(access: Access, actor: Actor | undefined): void {
  if (access.kind === 'public') {
    return
  }
  if (!actor) {
    throw new Unauthorized()
  }
  if (access.kind === 'permissions') {
    requirePermissions(access, actor)
  }
}

function requirePermissions(access: Access & { kind: 'permissions' }, actor: Actor): void {
  if ('all' in access) {
    const missing = access.all.filter((name) => !actor.permissions.has(name))
    if (missing.length > 0) {
      throw PermissionDenied.missing(missing)
    }
    if (access.isCentral && !isMasterMember(actor)) {
      throw new PermissionDenied('This belongs to the installation, and is for the master realm')
    }
  } else if (!access.any.some((name) => actor.permissions.has(name))) {
    throw PermissionDenied.missing(access.any)
  }
}

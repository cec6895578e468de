import type { Actor } from './actor.js'
import { type Failure, PermissionDenied, Unauthorized } from './failures.js'
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
export const requires = (...all: string[]): Access => ({ kind: 'permissions', all })

/** Callers that hold each of the permissions and belong to the master realm: for what belongs to the installation. */
export const requiresInMasterRealm = (...all: string[]): Access => ({
  kind: 'permissions',
  all,
  isCentral: true,
})

/** Callers that hold one of the permissions. */
export const requiresAny = (...any: string[]): Access => ({ kind: 'permissions', any })

/**
 * Lets the caller in or throws the failure that says what is missing.
 */
export function enforce(access: Access, actor: Actor | undefined): void {
  const denial = denialOf(access, actor)
  if (denial) {
    throw denial
  }
}

/** Whether the caller is let in. */
export function permits(access: Access, actor: Actor | undefined): boolean {
  return denialOf(access, actor) === undefined
}

function denialOf(access: Access, actor: Actor | undefined): Failure | undefined {
  if (access.kind === 'public') {
    return undefined
  }
  if (!actor) {
    return new Unauthorized()
  }
  return access.kind === 'permissions' ? missingFrom(access, actor) : undefined
}

function missingFrom(
  access: Access & { kind: 'permissions' },
  actor: Actor
): PermissionDenied | undefined {
  if ('any' in access) {
    const isGranted = access.any.some((name) => actor.permissions.has(name))
    return isGranted ? undefined : PermissionDenied.missing(access.any)
  }
  const missing = access.all.filter((name) => !actor.permissions.has(name))
  if (missing.length > 0) {
    return PermissionDenied.missing(missing)
  }
  return access.isCentral && !isMasterMember(actor)
    ? new PermissionDenied('This belongs to the installation, and is for the master realm')
    : undefined
}

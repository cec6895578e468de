import type { Actor } from './actor.js'
import { type Failure, PermissionDenied, Unauthorized } from './failures.js'
import { isMasterMember } from './realm.js'

/**
 * What a caller needs to call a route. Rules that depend on the record (realm, ownership) are checked by the service.
 */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'identity' }
  | { readonly kind: 'session' }
  | { readonly kind: 'permissions'; readonly all: readonly string[]; readonly isCentral?: true }
  | { readonly kind: 'permissions'; readonly any: readonly string[] }

/** Every caller, logged in or not. */
export const anyone: Access = { kind: 'public' }

/** Every caller that the identity provider has authenticated. */
export const loggedIn: Access = { kind: 'identity' }

/** Users with a session of the console, which the page itself checks: its answer to others is a page, too. */
export const inSession: Access = { kind: 'session' }

/** Callers with all of the permissions. */
export const requires = (...all: string[]): Access => ({ kind: 'permissions', all })

/** Callers of the master realm with all of the permissions: for settings of the whole installation. */
export const requiresInMasterRealm = (...all: string[]): Access => ({
  kind: 'permissions',
  all,
  isCentral: true,
})

/** Callers with at least one of the permissions. */
export const requiresAny = (...any: string[]): Access => ({ kind: 'permissions', any })

/** Throws the failure that names what the caller lacks; returns if access is granted. */
export function enforce(access: Access, actor: Actor | undefined): void {
  const denial = denialOf(access, actor)
  if (denial) {
    throw denial
  }
}

/** Whether the caller has access. */
export function permits(access: Access, actor: Actor | undefined): boolean {
  return denialOf(access, actor) === undefined
}

/** Whether a route itself denies no caller. */
export const admitsEverybody = ({ kind }: Access): boolean =>
  kind === 'public' || kind === 'session'

function denialOf(access: Access, actor: Actor | undefined): Failure | undefined {
  if (admitsEverybody(access)) {
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
    return isGranted ? undefined : PermissionDenied.missingAny(access.any)
  }
  const missing = access.all.filter((name) => !actor.permissions.has(name))
  if (missing.length > 0) {
    return PermissionDenied.missing(missing)
  }
  return access.isCentral && !isMasterMember(actor)
    ? new PermissionDenied('Only members of the master realm may do this')
    : undefined
}

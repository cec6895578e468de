import type { Access } from '#kernel/access'
import { catalogue } from '#http/route_catalogue'
import { PLATFORM_PERMISSIONS } from '#auth/permission_names'
import { ANALYSIS_CLIENT_PERMISSIONS, NODE_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import { isMasterMember } from '#kernel/realm'
import { identity } from '#tests/helpers/identities'

/** Everybody who may stand before a route, by what they are to the record behind it. */
export const CALLERS = [
  'nobody',
  'a user without permissions',
  'a user of another realm',
  'an owner of the realm',
  'a node client',
  'an analysis client',
  'a master admin',
] as const

export type Caller = (typeof CALLERS)[number]

export interface Realms {
  readonly own: string
  readonly other: string
}

export interface Person {
  readonly headers: Record<string, string>
  readonly permissions: ReadonlySet<string>
  /** Whether what belongs to the record's realm may be written. */
  readonly isOfRealm: boolean
  readonly isOfMaster: boolean
}

/** The names that an access asks for. */
export function permissionsOf(access: Access): readonly string[] {
  return access.kind === 'permissions' ? ('all' in access ? access.all : access.any) : []
}

/**
 * The caller of a request, made up for the realm of the record it is about; undefined for nobody.
 */
export function personFor(caller: Caller, { own, other }: Realms): Person | undefined {
  const everything = [
    ...PLATFORM_PERMISSIONS,
    ...catalogue.all().flatMap(({ operation }) => permissionsOf(operation.access)),
  ]
  switch (caller) {
    case 'nobody':
      return undefined
    case 'a user without permissions':
      return person(own, 'site-a', [])
    case 'a user of another realm':
      return { ...person(other, 'site-b', everything), isOfRealm: false }
    case 'an owner of the realm':
      return person(own, 'site-a', everything)
    case 'a node client':
      return person(own, 'site-a', NODE_CLIENT_PERMISSIONS, 'client')
    case 'an analysis client':
      return person(own, 'site-a', ANALYSIS_CLIENT_PERMISSIONS, 'client')
    case 'a master admin':
      return person(other, 'master', everything)
  }
}

function person(
  realmId: string,
  realmName: string,
  permissions: readonly string[],
  kind: 'user' | 'client' = 'user'
): Person {
  const { headers, actor } = identity({ kind, realmId, realmName, permissions: [...permissions] })
  const { permissions: held } = actor
  return { headers, permissions: held, isOfRealm: true, isOfMaster: isMasterMember(actor) }
}

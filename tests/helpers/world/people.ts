import { identityPool } from '#identity/embedded/database'
import { ADMIN, make, makeUser, PASSWORD, unique } from '#tests/functional/identity/provider'
import { loginByPassword } from './logins.js'
import { asIdentity, type WorldIdentity } from './world_identity.js'

/** An institute that asks, and two hospitals that decide and compute. */
export const REALMS = ['institute', 'north', 'south'] as const

export type RealmName = (typeof REALMS)[number]
export type RealmIds = Readonly<Record<RealmName, string>>

const ROLES = ['admin', 'researcher', 'steward'] as const

type RoleName = (typeof ROLES)[number]

/** The people of a realm: one of each built-in role, one without any, and one whose roles will be taken away. */
export type PeopleOfRealm = Readonly<Record<RoleName | 'member', WorldIdentity>>

export interface People {
  readonly of: Readonly<Record<RealmName, PeopleOfRealm>>
  readonly masterAdmin: WorldIdentity
  readonly masterMember: WorldIdentity
}

/** Creates the realms at the provider. */
export async function worldRealms(): Promise<RealmIds> {
  const made = await Promise.all(REALMS.map((name) => make('realm', { name: unique(name) })))
  return Object.fromEntries(REALMS.map((name, index) => [name, made[index].id])) as RealmIds
}

/** Creates the people of all realms, who log in with their passwords. */
export async function worldPeople(realms: RealmIds): Promise<People> {
  const master = await masterRealm()
  const [masterMember, masterAdmin, ...others] = await Promise.all([
    personOf('a member of master without roles', master),
    loginByPassword(ADMIN.username, ADMIN.password, master),
    ...REALMS.map((name) => peopleOf(name, realms[name])),
  ])
  return {
    masterMember,
    masterAdmin: asIdentity("master's admin", masterAdmin.actor, masterAdmin),
    of: Object.fromEntries(
      REALMS.map((name, index) => [name, others[index]!])
    ) as unknown as People['of'],
  }
}

export async function masterRealm(): Promise<string> {
  const { rows } = await identityPool().query("select id from realms where name = 'master'")
  return rows[0].id
}

async function peopleOf(realm: RealmName, realmId: string): Promise<PeopleOfRealm> {
  const [admin, researcher, steward, member] = await Promise.all([
    ...ROLES.map((role) => personOf(`${realm}'s ${role}`, realmId, role)),
    personOf(`somebody of ${realm} without roles`, realmId),
  ])
  return { admin: admin!, researcher: researcher!, steward: steward!, member: member! }
}

/** A person with a built-in role, or none. */
export async function personOf(
  title: string,
  realmId: string,
  role?: RoleName
): Promise<WorldIdentity> {
  const { id, name } = await makeUser({ realmId })
  if (role) {
    const { rows } = await identityPool().query(
      'select id from roles where name = $1 and built_in and realm_id is null',
      [role]
    )
    await make('userRole', { userId: id, roleId: rows[0].id })
  }
  const login = await loginByPassword(name, PASSWORD, realmId)
  return asIdentity(title, login.actor, login)
}

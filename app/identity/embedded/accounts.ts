import { identityPool } from './database.js'
import type { Subject } from '#identity/embedded/tokens/claims'
import { isUuid } from '#kernel/is_uuid'

export const MASTER = 'master'

/** A user or a client. */
interface Account extends Subject {
  readonly name: string
  readonly active: boolean
}

export interface UserAccount extends Account {
  readonly kind: 'user'
  readonly displayName: string | null
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly passwordHash: string | null
}

export interface ClientAccount extends Account {
  readonly kind: 'client'
  readonly builtIn: boolean
  readonly displayName: string | null
  readonly authMethod: string
  readonly secretDigest: string | null
  readonly sealedSecret: string | null
  readonly grantTypes: string | null
  readonly redirectUri: string | null
  readonly postLogoutRedirectUri: string | null
  /** Incremented when its secret is replaced or it is deactivated; older tokens are invalid. */
  readonly tokenGeneration: number
}

export interface Realm {
  readonly id: string
  readonly name: string
}

const USER = `'user' as kind, a.id, a.name, a.active, a.display_name as "displayName", a.email,
  a.first_name as "firstName", a.last_name as "lastName", a.password as "passwordHash",
  r.id as "realmId", r.name as "realmName" from users a join realms r on r.id = a.realm_id`

const CLIENT = `'client' as kind, a.id, a.name, a.active, a.built_in as "builtIn", a.display_name as "displayName",
  a.auth_method as "authMethod", a.secret_digest as "secretDigest", a.secret as "sealedSecret", a.grant_types as "grantTypes",
  a.redirect_uri as "redirectUri", a.post_logout_redirect_uri as "postLogoutRedirectUri", a.token_generation as "tokenGeneration", r.id as "realmId", r.name as "realmName"
  from clients a join realms r on r.id = a.realm_id`

/** Finds a realm by id or name. */
export async function findRealm(idOrName: string): Promise<Realm | undefined> {
  const condition = isUuid(idOrName) ? 'id = $1' : 'lower(name) = lower($1)'
  return queryFirst<Realm>(`select id, name from realms where ${condition}`, [idOrName])
}

export async function findUser(realmId: string, name: string): Promise<UserAccount | undefined> {
  return queryFirst<UserAccount>(
    `select ${USER} where lower(a.name) = lower($1) and a.realm_id = $2`,
    [name, realmId]
  )
}

export async function readUser(id: string): Promise<UserAccount | undefined> {
  return queryFirst<UserAccount>(`select ${USER} where a.id = $1`, [id])
}

/**
 * Finds a client by its id, by name in the given realm, or by name in the master realm, whose clients serve every
 * realm.
 */
export async function findClient(
  idOrName: string,
  realm: string | undefined
): Promise<ClientAccount | undefined> {
  if (isUuid(idOrName)) {
    return readClient(idOrName)
  }
  const inRealm = realm === undefined ? undefined : await findClientIn(realm, idOrName)
  return inRealm ?? findClientIn(MASTER, idOrName)
}

export async function readClient(id: string): Promise<ClientAccount | undefined> {
  return queryFirst<ClientAccount>(`select ${CLIENT} where a.id = $1`, [id])
}

/** Finds a client by id or name in a single realm. */
export async function findClientIn(
  realm: string,
  idOrName: string
): Promise<ClientAccount | undefined> {
  const condition = isUuid(idOrName) ? 'a.id = $1' : 'lower(a.name) = lower($1)'
  const inRealm = isUuid(realm) ? 'r.id = $2' : 'lower(r.name) = lower($2)'
  return queryFirst<ClientAccount>(`select ${CLIENT} where ${condition} and ${inRealm}`, [
    idOrName,
    realm,
  ])
}

/** PostgreSQL cannot store NUL characters, so such values match nothing. */
async function queryFirst<Row extends object>(
  text: string,
  values: string[]
): Promise<Row | undefined> {
  if (values.some((value) => value.includes('\0'))) {
    return undefined
  }
  const { rows } = await identityPool().query<Row>(text, values)
  return rows[0]
}

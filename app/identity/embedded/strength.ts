import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { grantedPermissionIds, type Grantee } from './granted_permissions.js'
import { isMasterMember, isRealmWritable } from '#kernel/realm'

type Bind = (value: unknown) => string

/** A permission as far as it matters to an actor that wants to give it, or to change it. */
export interface GrantablePermission {
  readonly name: string
  readonly builtIn: boolean
  readonly realmId: string | null
}

/** An actor with the permissions of the platform, which acts only on those who may do no more than whom it is done for. */
interface DelegatedActor extends Actor {
  readonly within?: Actor
}

export const actingWithin = (actor: Actor, within: Actor): DelegatedActor => ({ ...actor, within })

/** An actor that makes up the permissions of a realm has those as good as held. */
const CREATE_PERMISSIONS = 'permission_create'

/**
 * Whether an actor is as strong as a permission makes: it holds it, or makes up the permissions of its realm. By name, since a
 * name is what lets its holder do something.
 */
export function mayGrant(actor: Actor, { name, builtIn, realmId }: GrantablePermission): boolean {
  const { permissions } = actor
  return (
    permissions.has(name) ||
    (!builtIn && permissions.has(CREATE_PERMISSIONS) && isRealmWritable(actor, realmId))
  )
}

/**
 * The names of what a holder may do and an actor may not, as a subquery. `id` is the holder's, as SQL. Clients that the provider
 * came with do the platform's work, or sign its administrators in, so they count as holding everything it knows.
 */
export function permissionsBeyond(actor: Actor, grantee: Grantee, id: string, bind: Bind): string {
  const builtIn =
    grantee === 'client'
      ? `or held.built_in and exists (select 1 from clients known where known.id = ${id} and known.built_in)`
      : ''
  return namesBeyond(actor, `(held.id in (${grantedPermissionIds(grantee, id)}) ${builtIn})`, bind)
}

function namesBeyond(actor: Actor, condition: string, bind: Bind): string {
  const names = bind([...actor.permissions])
  return `select held.name from permissions held
    where ${condition} and held.name <> all(${names}::text[]) and ${notCreatableBy(actor, bind)} order by held.name`
}

function notCreatableBy(actor: Actor, bind: Bind): string {
  if (!actor.permissions.has(CREATE_PERMISSIONS)) {
    return 'true'
  }
  return isMasterMember(actor)
    ? 'held.built_in'
    : `(held.built_in or held.realm_id is distinct from ${bind(actor.realmId)}::uuid)`
}

/** Whether an actor is the record itself, whatever it may do by now. */
export const isSelf = ({ kind, id }: Actor, grantee: Grantee, granteeId: string): boolean =>
  kind === grantee && id.toLowerCase() === granteeId.toLowerCase()

/**
 * Throws where a holder may do what the actor may not: who changes its login, its name or its grants would reach that as well. What
 * it is judged by stays as it is until the transaction ends, in which the holder is locked already.
 */
export async function requireNotStronger(
  transaction: pg.ClientBase,
  by: Actor,
  grantee: Grantee,
  id: string
): Promise<void> {
  const actor = (by as DelegatedActor).within ?? by
  if (isSelf(actor, grantee, id)) {
    return
  }
  await lockRolesOf(transaction, grantee, id)
  const { values, bind } = bindings(id)
  await rejectIfAny(transaction, permissionsBeyond(actor, grantee, '$1', bind), values)
}

/** Throws where a user or client of a realm, locked by now, may do what the actor may not. */
export async function requireNobodyStronger(
  transaction: pg.ClientBase,
  actor: Actor,
  realmId: string
): Promise<void> {
  const roles = `select role_id from user_roles where user_realm_id = $1
    union select role_id from client_roles where client_realm_id = $1
    union select id from roles where realm_id = $1`
  await lockRoles(transaction, roles, [realmId])
  const condition = `held.id in (select permission_id from user_permissions where user_realm_id = $1
    union select permission_id from client_permissions where client_realm_id = $1
    union select permission_id from role_permissions where role_id in (${roles}))`
  const { values, bind } = bindings(realmId)
  await rejectIfAny(transaction, namesBeyond(actor, condition, bind), values)
}

/** Locks the roles that a holder has; a role has none. */
export async function lockRolesOf(
  transaction: pg.ClientBase,
  grantee: Grantee,
  id: string
): Promise<void> {
  if (grantee !== 'role') {
    const roles = `select role_id from ${grantee}_roles where ${grantee}_id = $1`
    await lockRoles(transaction, roles, [id])
  }
}

/** In one order for everybody, so that two never wait for each other. */
export async function lockRoles(
  transaction: pg.ClientBase,
  ids: string,
  values: readonly unknown[]
): Promise<void> {
  await transaction.query(`select 1 from roles where id in (${ids}) order by id for update`, [
    ...values,
  ])
}

export function bindings(first: unknown): { values: unknown[]; bind: Bind } {
  const values = [first]
  return { values, bind: (value) => `$${values.push(value)}` }
}

async function rejectIfAny(
  database: pg.ClientBase,
  names: string,
  values: readonly unknown[]
): Promise<void> {
  const { rows } = await database.query<{ name: string }>(names, [...values])
  if (rows.length > 0) {
    throw PermissionDenied.missing(rows.map(({ name }) => name))
  }
}

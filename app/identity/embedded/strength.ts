import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { grantedPermissionIds, type Grantee } from './granted_permissions.js'
import { isMasterMember, isRealmWritable } from '#kernel/realm'

type Bind = (value: unknown) => string

/** A permission that an actor wants to grant or change. */
export interface GrantablePermission {
  readonly name: string
  readonly builtIn: boolean
  readonly realmId: string | null
}

/** The platform as actor, limited to accounts with no more permissions than `within`. */
interface DelegatedActor extends Actor {
  readonly within?: Actor
}

export const actingWithin = (actor: Actor, within: Actor): DelegatedActor => ({ ...actor, within })

/** An actor that can create permissions of a realm counts as having all of them. */
const CREATE_PERMISSIONS = 'permission_create'

/**
 * Whether an actor may grant a permission: it has it, or may create permissions of its realm. Compared by name, since
 * names are what access checks use.
 */
export function mayGrant(actor: Actor, { name, builtIn, realmId }: GrantablePermission): boolean {
  const { permissions } = actor
  return (
    permissions.has(name) ||
    (!builtIn && permissions.has(CREATE_PERMISSIONS) && isRealmWritable(actor, realmId))
  )
}

/**
 * A subquery of the permission names that a grantee has and an actor lacks. `id` is the grantee's id as SQL. Built-in
 * clients count as having every built-in permission, since they act for the platform or sign in its administrators.
 */
export function permissionsBeyond(actor: Actor, grantee: Grantee, id: string, bind: Bind): string {
  const builtIn =
    grantee === 'client'
      ? `or granted.built_in and exists (select 1 from clients known where known.id = ${id} and known.built_in)`
      : ''
  return namesBeyond(
    actor,
    `(granted.id in (${grantedPermissionIds(grantee, id)}) ${builtIn})`,
    bind
  )
}

function namesBeyond(actor: Actor, condition: string, bind: Bind): string {
  const names = bind([...actor.permissions])
  return `select granted.name from permissions granted
    where ${condition} and granted.name <> all(${names}::text[]) and ${notCreatableBy(actor, bind)} order by granted.name`
}

function notCreatableBy(actor: Actor, bind: Bind): string {
  if (!actor.permissions.has(CREATE_PERMISSIONS)) {
    return 'true'
  }
  return isMasterMember(actor)
    ? 'granted.built_in'
    : `(granted.built_in or granted.realm_id is distinct from ${bind(actor.realmId)}::uuid)`
}

/** Whether an actor is the grantee itself. */
export const isSelf = ({ kind, id }: Actor, grantee: Grantee, granteeId: string): boolean =>
  kind === grantee && id.toLowerCase() === granteeId.toLowerCase()

/**
 * Throws if a grantee has permissions that the actor lacks: changing its login, name or grants would give them to the
 * actor. Call it with the grantee locked; its roles stay locked until the transaction ends.
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

/** Throws if any account of a locked realm has permissions that the actor lacks. */
export async function requireNobodyStronger(
  transaction: pg.ClientBase,
  actor: Actor,
  realmId: string
): Promise<void> {
  const roles = `select role_id from user_roles where user_realm_id = $1
    union select role_id from client_roles where client_realm_id = $1
    union select id from roles where realm_id = $1`
  await lockRoles(transaction, roles, [realmId])
  const condition = `granted.id in (select permission_id from user_permissions where user_realm_id = $1
    union select permission_id from client_permissions where client_realm_id = $1
    union select permission_id from role_permissions where role_id in (${roles}))`
  const { values, bind } = bindings(realmId)
  await rejectIfAny(transaction, namesBeyond(actor, condition, bind), values)
}

/** Locks the roles of a grantee. A role has none. */
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

/** Locks in id order to avoid deadlocks. */
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

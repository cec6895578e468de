import type pg from 'pg'

import { initialSecret } from '#configuration/initial_secrets'
import { workerSecret } from '#configuration/worker_secret'
import { CONSOLES, CONSOLE_TRAITS } from '#identity/clients/consoles'
import { MASTER } from './accounts.js'
import { BUILT_IN_PERMISSIONS, BUILT_IN_ROLES } from './built_in_roles.js'
import { newSecret, storedSecret } from './client_secrets.js'
import { identityPool } from './database.js'
import { SCOPES } from '#identity/embedded/oauth/scopes'
import { Client } from '#identity/clients/client'
import { Realm } from '#identity/realms/realm'
import { Role } from '#identity/roles/role'
import { UserRole } from '#identity/user_roles/user_role'
import { User } from '#identity/users/user'
import { hashPassword } from './passwords.js'
import { lucidClientFor } from '#records/lucid_client'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'
import { identitySettings } from '#identity/identity_settings'
import { replaceKnownSecrets, requireOwnSecrets } from './default_secrets.js'
import { signingKeys } from '#identity/embedded/keys/signing_keys'

/** The advisory lock of seeding; the number must be unique in this database. */
const SEED_LOCK = 7_264_103

const ADMIN = 'admin'

/** The client of the platform's worker. It only reads, including the secrets of registries. */
const WORKER = 'worker'
const WORKER_PERMISSIONS = ['registry_manage']

const PERMISSIONS = Object.keys(BUILT_IN_PERMISSIONS)

/**
 * Seeds a new database with everything that a first login needs, and an existing one with the permissions of a new
 * version. Changes by administrators stay. Call it at each start, after the migrations.
 */
export async function seedIdentity(): Promise<void> {
  await inTransaction(identityPool(), async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [SEED_LOCK])
    const realmId = await newMasterRealm(transaction)
    const added = await addPermissions(transaction)
    if (realmId !== undefined) {
      await addFirstAccounts(transaction, realmId)
    }
    await grantToAdministrators(transaction, added)
    await addDescriptions(transaction)
    await addWorker(transaction)
    await addConsoles(transaction)
    await addScopes(transaction)
    await replaceKnownSecrets(transaction)
  })
  await requireOwnSecrets()
  await signingKeys().current()
}

/** Creates the master realm. Returns its id on the first start, else undefined. */
async function newMasterRealm(transaction: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await transaction.query<{ id: string }>(
    `insert into realms (id, name, built_in) values ($1, $2, true)
     on conflict (lower(name)) do nothing returning id`,
    [clock.uuid(), MASTER]
  )
  return rows[0]?.id
}

/**
 * Inserts missing built-in permissions and returns their names. A custom permission of the same name is deleted with
 * its grants.
 */
async function addPermissions(transaction: pg.ClientBase): Promise<string[]> {
  await transaction.query('delete from permissions where not built_in and lower(name) = any($1)', [
    PERMISSIONS,
  ])
  const { rows } = await transaction.query<{ name: string }>(
    `insert into permissions (id, name, built_in)
     select id, name, true from unnest($1::uuid[], $2::text[]) as new (id, name)
     on conflict (lower(name)) do nothing returning name`,
    [idsFor(PERMISSIONS), PERMISSIONS]
  )
  return rows.map(({ name }) => name)
}

/** Adds missing descriptions of built-in records. */
async function addDescriptions(transaction: pg.ClientBase): Promise<void> {
  const roles = Object.entries(BUILT_IN_ROLES).map(([name, { description }]) => [name, description])
  const described = { roles: Object.fromEntries(roles), permissions: BUILT_IN_PERMISSIONS }
  for (const [table, descriptions] of Object.entries(described)) {
    await transaction.query(
      `update ${table} set description = given.value from jsonb_each_text($1) as given (name, value)
       where ${table}.name = given.name and built_in and realm_id is null and description is null`,
      [descriptions]
    )
  }
}

async function addFirstAccounts(transaction: pg.ClientBase, realmId: string): Promise<void> {
  for (const [name, { permissions }] of Object.entries(BUILT_IN_ROLES)) {
    await addRole(transaction, name, permissions)
  }
  const { platform, secrets } = identitySettings()
  await addClient(transaction, realmId, platform.clientId, initialSecret('platform', secrets))
  await addClient(transaction, realmId, 'registry', newSecret())
  await addAdministrator(transaction, realmId)
}

/** Inserts a role for users of every realm. */
async function addRole(
  transaction: pg.ClientBase,
  name: string,
  permissions: readonly string[]
): Promise<void> {
  await Role.create({ name, builtIn: true }, { client: await lucidClientFor(transaction) })
  await grantToRole(transaction, name, permissions)
}

async function addClient(
  transaction: pg.ClientBase,
  realmId: string,
  name: string,
  plain: string
): Promise<void> {
  const values = { name, builtIn: true, realmId, ...(await storedSecret(plain)) }
  await Client.create(values, { client: await lucidClientFor(transaction) })
}

/**
 * Creates the client of the worker, also in older installations, and updates its secret. A custom client of that name
 * stays as it is.
 */
async function addWorker(transaction: pg.ClientBase): Promise<void> {
  const { secrets, runsWorker } = identitySettings()
  const { secret, secretDigest } = await storedSecret(workerSecret(secrets))
  const { rowCount: isNew } = await transaction.query(
    `insert into clients (id, name, display_name, built_in, secret, secret_digest, realm_id)
     select $1, $2, 'Worker', true, $3, $4, id from realms where name = $5
     on conflict (lower(name), realm_id) do nothing`,
    [clock.uuid(), WORKER, secret, secretDigest, MASTER]
  )
  if (isNew) {
    await grantToClient(transaction, WORKER, WORKER_PERMISSIONS)
  } else if (runsWorker || secrets.WORKER_CLIENT_SECRET !== undefined) {
    await updateWorkerSecret(transaction, { secret, secretDigest })
  }
}

/** Makes the built-in client of the worker accept the secret that a worker elsewhere is given. */
export async function renewWorkerSecret(): Promise<void> {
  const stored = await storedSecret(workerSecret(identitySettings().secrets))
  await inTransaction(identityPool(), (transaction) => updateWorkerSecret(transaction, stored))
}

async function updateWorkerSecret(
  transaction: pg.ClientBase,
  { secret, secretDigest }: Awaited<ReturnType<typeof storedSecret>>
): Promise<void> {
  await transaction.query(
    `update clients set secret = $2, secret_digest = $3
     where name = $1 and built_in and secret_digest is distinct from $3`,
    [WORKER, secret, secretDigest]
  )
}

/** Inserts the built-in scopes. */
async function addScopes(transaction: pg.ClientBase): Promise<void> {
  await transaction.query(
    `insert into scopes (id, name, built_in)
     select id, name, true from unnest($1::uuid[], $2::text[]) as new (id, name)
     on conflict (lower(name)) where realm_id is null do nothing`,
    [idsFor(SCOPES), SCOPES]
  )
}

/** Inserts missing consoles into all realms. Custom clients of these names stay as they are. */
async function addConsoles(transaction: pg.ClientBase): Promise<void> {
  const realms = await Realm.query({ client: await lucidClientFor(transaction) }).select('id')
  const realmIds = realms.map(({ id }) => id)
  for (const [name, label] of Object.entries(CONSOLES)) {
    await transaction.query(
      `insert into clients
         (id, name, display_name, built_in, auth_method, grant_types, realm_id)
       select id, $3, $4, true, $5, $6, realm_id
       from unnest($1::uuid[], $2::uuid[]) as new (id, realm_id)
       on conflict (lower(name), realm_id) do nothing`,
      [
        idsFor(realmIds),
        realmIds,
        name,
        label,
        CONSOLE_TRAITS.authMethod,
        CONSOLE_TRAITS.grantTypes,
      ]
    )
  }
}

async function addAdministrator(transaction: pg.ClientBase, realmId: string): Promise<void> {
  const password = await hashPassword(initialSecret('administrator', identitySettings().secrets))
  const client = await lucidClientFor(transaction)
  const user = await User.create({ name: ADMIN, password, realmId }, { client })
  const role = await Role.findByOrFail({ name: ADMIN, realmId: null }, { client })
  await UserRole.create({ userId: user.id, roleId: role.id, userRealmId: realmId }, { client })
}

async function grantToAdministrators(
  transaction: pg.ClientBase,
  permissions: readonly string[]
): Promise<void> {
  await grantToRole(transaction, ADMIN, permissions)
  await grantToClient(transaction, identitySettings().platform.clientId, permissions)
}

/** Grants permissions to a built-in client. */
async function grantToClient(
  transaction: pg.ClientBase,
  client: string,
  permissions: readonly string[]
): Promise<void> {
  await transaction.query(
    `insert into client_permissions (id, client_id, permission_id, client_realm_id)
     select given.id, c.id, p.id, c.realm_id
     from clients c join realms r on r.id = c.realm_id and r.name = $1,
       unnest($3::uuid[], $4::text[]) as given (id, name) join permissions p using (name)
     where c.name = $2 and c.built_in on conflict do nothing`,
    [MASTER, client, idsFor(permissions), permissions]
  )
}

async function grantToRole(
  transaction: pg.ClientBase,
  role: string,
  permissions: readonly string[]
): Promise<void> {
  await transaction.query(
    `insert into role_permissions (id, role_id, permission_id)
     select given.id, r.id, p.id
     from roles r, unnest($2::uuid[], $3::text[]) as given (id, name) join permissions p using (name)
     where r.name = $1 and r.realm_id is null on conflict do nothing`,
    [role, idsFor(permissions), permissions]
  )
}

/** A new id for each item, from the shared clock. */
const idsFor = (items: readonly string[]) => items.map(() => clock.uuid())

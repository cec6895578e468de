import type pg from 'pg'

import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { PermissionDenied, RelationInvalid } from '#kernel/failures'
import {
  mayGrant,
  lockRoles,
  lockRolesOf,
  requireNotStronger,
  type GrantablePermission,
} from './strength.js'
import { visibleRealm } from './visible_realm.js'
import type { Origin } from '#kernel/origin'
import type { Attributes, Row } from '#records/row'
import { requireRealm } from '#kernel/realm'
import type { RecordServiceOptions } from '#records/record_service'
import type { WrittenRecord } from '#records/record_store'
import { IdentityService } from './identity_service.js'
import { idIn, type Assignment } from './assignment.js'
import { accessChangesDelivered } from './access_changes.js'

const PERMISSION = 'name, built_in as "builtIn", realm_id as "realmId" from permissions'

/** The permissions that an assignment grants. */
const GRANTED_PERMISSIONS = {
  permission: `select ${PERMISSION} where id = $1`,
  role: `select ${PERMISSION} where id in (select permission_id from role_permissions where role_id = $1)`,
  scope: undefined,
}

/**
 * Assigns roles, permissions and scopes. An actor can only grant permissions that it has itself or could create, and
 * only to or from owners with no more permissions than itself.
 */
export class AssignmentService extends IdentityService {
  readonly #assignment: Assignment

  constructor(assignment: Assignment, options: RecordServiceOptions) {
    super(assignment.kind, { ...options, scope: visibleRealm })
    this.#assignment = assignment
  }

  override async create(origin: Origin, body: Attributes): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    const data = await super.create(origin, body)
    await accessChangesDelivered()
    return data
  }

  protected override valuesOfNew(_actor: Actor, body: Attributes): Attributes {
    return body
  }

  /** The realm ids are copied from both sides within the transaction. */
  protected override async insert(
    transaction: pg.ClientBase,
    origin: Origin,
    values: Attributes
  ): Promise<WrittenRecord> {
    const realms = await this.#lockAssignable(transaction, origin.actor, values)
    return super.insert(transaction, origin, { ...values, ...realms })
  }

  /** Locks both sides and checks that the actor may grant it. Returns their realms. */
  async #lockAssignable(transaction: pg.ClientBase, actor: Actor, body: Attributes) {
    const { owner, assigned } = this.#assignment
    const ownerId = idIn(owner, body)
    const assignedId = idIn(assigned, body)
    await this.#lockRealms(transaction, ownerId, assignedId)
    const ownerRealm = await this.#lockRecord(transaction, owner, ownerId)
    await this.#lockRoles(transaction, ownerId, assignedId)
    const assignedRealm = await this.#lockRecord(transaction, assigned, assignedId)
    requireRealm(actor, ownerRealm)
    if (assignedRealm !== null) {
      requireRealm(actor, assignedRealm)
    }
    await this.#requireGrantable(transaction, actor, assignedId)
    await requireNotStronger(transaction, actor, owner, ownerId)
    return { [`${owner}RealmId`]: ownerRealm, [`${assigned}RealmId`]: assignedRealm }
  }

  /**
   * Locks an assignment after its owner and the roles of the owner, whose removal also removes it. Throws if the owner
   * has more permissions than the actor.
   */
  protected override async lockWritable(
    origin: Origin,
    transaction: pg.ClientBase,
    id: string
  ): Promise<Row> {
    this.requireId(id)
    const { owner } = this.#assignment
    const { rows } = await transaction.query<{ ownerId: string }>(
      `select o.id as "ownerId" from ${owner}s o join ${this.kind.table} a on a.${owner}_id = o.id
       where a.id = $1 for update of o`,
      [id]
    )
    const { ownerId } = rows[0] ?? this.missing()
    await lockRolesOf(transaction, owner, ownerId)
    const assignment = await super.lockWritable(origin, transaction, id)
    await requireNotStronger(transaction, origin.actor, owner, ownerId)
    return assignment
  }

  /** Locks the realms of both sides. Removing a realm locks it before its contents. */
  async #lockRealms(
    transaction: pg.ClientBase,
    ownerId: string,
    assignedId: string
  ): Promise<void> {
    const { owner, assigned } = this.#assignment
    await transaction.query(
      `select 1 from realms where id in (select realm_id from ${owner}s where id = $1
         union select realm_id from ${assigned}s where id = $2) order by id for key share`,
      [ownerId, assignedId]
    )
  }

  /** Locks a record and returns its realm. The owner is locked first. */
  async #lockRecord(
    transaction: pg.ClientBase,
    kind: Assignment['owner' | 'assigned'],
    id: string
  ): Promise<string | null> {
    const lock = kind === 'permission' ? 'for share' : 'for update'
    const { rows } = await transaction.query<{ realm_id: string | null }>(
      `select realm_id from ${kind}s where id = $1 ${lock}`,
      [id]
    )
    if (!rows[0]) {
      throw new RelationInvalid('The body names a record that does not exist any more')
    }
    return rows[0].realm_id
  }

  /** Locks an assigned role together with those that the owner has already. */
  async #lockRoles(transaction: pg.ClientBase, ownerId: string, assignedId: string): Promise<void> {
    const { owner, assigned } = this.#assignment
    if (assigned === 'role') {
      const ids = `select role_id from ${owner}_roles where ${owner}_id = $1 union select $2::uuid`
      await lockRoles(transaction, ids, [ownerId, assignedId])
    }
  }

  async #requireGrantable(transaction: pg.ClientBase, actor: Actor, id: string): Promise<void> {
    const query = GRANTED_PERMISSIONS[this.#assignment.assigned]
    if (query === undefined) {
      return
    }
    const { rows } = await transaction.query<GrantablePermission>(query, [id])
    const missing = rows.filter((permission) => !mayGrant(actor, permission))
    if (missing.length > 0) {
      throw PermissionDenied.missing(missing.map(({ name }) => name))
    }
  }
}

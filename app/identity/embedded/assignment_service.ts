import type pg from 'pg'

import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { PermissionDenied, RelationInvalid } from '#kernel/failures'
import { hasAtHand, lockRoles, requireNotStronger, type GivablePermission } from './strength.js'
import { visibleRealm } from './visible_realm.js'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'
import type { Assignment } from './assignment.js'
import { standingIsHeard } from './standing.js'

const PERMISSION = 'name, built_in as "builtIn", realm_id as "realmId" from permissions'

/** The permissions that somebody gets with a record of the kind. */
const GETS = {
  permission: `select ${PERMISSION} where id = $1`,
  role: `select ${PERMISSION} where id in (select permission_id from role_permissions where role_id = $1)`,
  scope: undefined,
}

/**
 * Gives roles and permissions to somebody. Nobody gives what it does not have: a permission is one the actor holds itself, or
 * one of a realm whose permissions it makes up. And nobody gives to, or takes from, whoever may do more than it.
 */
export class AssignmentService extends RecordService {
  readonly #assignment: Assignment

  constructor(assignment: Assignment, options: RecordServiceOptions) {
    super(assignment.kind, { ...options, scope: visibleRealm })
    this.#assignment = assignment
  }

  /** The realms follow from what is named, which only the transaction holds. */
  override async create(origin: Origin, body: Values): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const realms = await this.#holdGivable(transaction, origin.actor, body)
      return this.insert(transaction, origin, { ...body, ...realms })
    })
    await standingIsHeard()
    return data
  }

  override async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      await this.#requireOwnerNotStronger(transaction, origin.actor, previous)
      return this.change(transaction, origin, previous, body)
    })
    await standingIsHeard()
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      await this.#requireOwnerNotStronger(transaction, origin.actor, previous)
      return this.removeRecord(transaction, origin, previous)
    })
    await standingIsHeard()
    return data
  }

  /** Holds an owner and what it is given, which the actor has to have; answers their realms. */
  async #holdGivable(transaction: pg.ClientBase, actor: Actor, body: Values): Promise<Values> {
    const { owner, given } = this.#assignment
    const ownerId = body[`${owner}Id`] as string
    const givenId = body[`${given}Id`] as string
    const ownerRealm = await this.#held(transaction, owner, ownerId)
    await this.#holdRoles(transaction, ownerId, givenId)
    const givenRealm = await this.#held(transaction, given, givenId)
    requireRealm(actor, ownerRealm)
    if (givenRealm !== null) {
      requireRealm(actor, givenRealm)
    }
    await this.#requireGivable(transaction, actor, givenId)
    await requireNotStronger(transaction, actor, owner, ownerId)
    return { [`${owner}RealmId`]: ownerRealm, [`${given}RealmId`]: givenRealm }
  }

  async #requireOwnerNotStronger(transaction: pg.ClientBase, actor: Actor, assignment: Values) {
    const { owner } = this.#assignment
    const ownerId = assignment[`${owner}Id`] as string
    await this.#held(transaction, owner, ownerId)
    await requireNotStronger(transaction, actor, owner, ownerId)
  }

  /** The realm of a record, which stays as it is from now on. Whoever holds several holds their owner first. */
  async #held(
    transaction: pg.ClientBase,
    kind: Assignment['owner' | 'given'],
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

  /** A role that is given, together with those its new owner has already. */
  async #holdRoles(transaction: pg.ClientBase, ownerId: string, givenId: string): Promise<void> {
    const { owner, given } = this.#assignment
    if (given === 'role') {
      const ids = `select role_id from ${owner}_roles where ${owner}_id = $1 union select $2::uuid`
      await lockRoles(transaction, ids, [ownerId, givenId])
    }
  }

  async #requireGivable(transaction: pg.ClientBase, actor: Actor, id: string): Promise<void> {
    const gets = GETS[this.#assignment.given]
    if (gets === undefined) {
      return
    }
    const { rows } = await transaction.query<GivablePermission>(gets, [id])
    const missing = rows.filter((permission) => !hasAtHand(actor, permission))
    if (missing.length > 0) {
      throw PermissionDenied.missing(missing.map(({ name }) => name))
    }
  }
}

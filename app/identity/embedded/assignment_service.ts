import type pg from 'pg'

import type { Actor } from '#kernel/actor'
import { PermissionDenied, RelationInvalid } from '#kernel/failures'
import {
  hasAtHand,
  lockRoles,
  requireNotStronger,
  type GivablePermission,
} from '#identity/embedded/strength'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Condition } from '#query/condition'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import type { Assignment } from './assignment.js'

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
    super(assignment.kind, options)
    this.#assignment = assignment
  }

  protected override visible(actor: Actor): readonly Condition[] {
    return visibleRealm(actor, this.kind)
  }

  /** The realms follow from what is named, which only the transaction holds. */
  protected override async prepareCreation(_origin: Origin, body: Values): Promise<Values> {
    return body
  }

  protected override async inCreation(
    transaction: pg.ClientBase,
    { actor }: Origin,
    values: Values
  ): Promise<Values> {
    const { owner, given } = this.#assignment
    const ownerId = values[`${owner}Id`] as string
    const givenId = values[`${given}Id`] as string
    const ownerRealm = await this.#held(transaction, owner, ownerId)
    await this.#holdRoles(transaction, ownerId, givenId)
    const givenRealm = await this.#held(transaction, given, givenId)
    requireRealm(actor, ownerRealm)
    if (givenRealm !== null) {
      requireRealm(actor, givenRealm)
    }
    await this.#requireGivable(transaction, actor, givenId)
    await requireNotStronger(transaction, actor, owner, ownerId)
    return { ...values, [`${owner}RealmId`]: ownerRealm, [`${given}RealmId`]: givenRealm }
  }

  protected override async prepareUpdate(
    { actor }: Origin,
    previous: Values,
    body: Values,
    transaction: pg.ClientBase
  ): Promise<Values> {
    await this.#requireOwnerNotStronger(transaction, actor, previous)
    return body
  }

  protected override async inRemoval(
    transaction: pg.ClientBase,
    { actor }: Origin,
    previous: Values
  ): Promise<void> {
    await this.#requireOwnerNotStronger(transaction, actor, previous)
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

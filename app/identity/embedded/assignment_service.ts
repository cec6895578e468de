import type { Actor } from '#http/actor'
import { PermissionDenied, RelationInvalid } from '#http/failures'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Condition } from '#query/condition'
import type { Origin } from '#records/events'
import type { Values } from '#records/kind'
import { isRealmWritable, requireRealm } from '#records/realm'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import type { Assignment } from './assignment.js'

interface GivenPermission {
  name: string
  builtIn: boolean
  realmId: string | null
}

const PERMISSION = 'name, built_in as "builtIn", realm_id as "realmId" from permissions'

/** The permissions that somebody gets with a record of the kind. */
const GETS = {
  permission: `select ${PERMISSION} where id = $1`,
  role: `select ${PERMISSION} where id in (select permission_id from role_permissions where role_id = $1)`,
  scope: undefined,
}

/**
 * Gives roles and permissions to somebody. Nobody gives what it does not have: a permission is one the actor holds itself,
 * or one that the actor's realm made up.
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

  protected override async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    const { owner, given } = this.#assignment
    const givenId = body[`${given}Id`] as string
    const [ownerRealm, givenRealm] = await Promise.all([
      this.#realmOf(owner, body[`${owner}Id`] as string),
      this.#realmOf(given, givenId),
    ])
    requireRealm(actor, ownerRealm)
    if (givenRealm !== null) {
      requireRealm(actor, givenRealm)
    }
    await this.#requireGivable(actor, givenId)
    return { ...body, [`${owner}RealmId`]: ownerRealm, [`${given}RealmId`]: givenRealm }
  }

  async #realmOf(kind: Assignment['owner' | 'given'], id: string): Promise<string | null> {
    const { rows } = await this.pool.query<{ realm_id: string | null }>(
      `select realm_id from ${kind}s where id = $1`,
      [id]
    )
    if (!rows[0]) {
      throw new RelationInvalid('The body names a record that does not exist any more')
    }
    return rows[0].realm_id
  }

  async #requireGivable(actor: Actor, id: string): Promise<void> {
    const gets = GETS[this.#assignment.given]
    if (gets === undefined) {
      return
    }
    const { rows } = await this.pool.query<GivenPermission>(gets, [id])
    const missing = rows.filter((permission) => !mayGive(actor, permission))
    if (missing.length > 0) {
      throw PermissionDenied.missing(missing.map(({ name }) => name))
    }
  }
}

function mayGive(actor: Actor, { name, builtIn, realmId }: GivenPermission): boolean {
  return actor.permissions.has(name) || (!builtIn && isRealmWritable(actor, realmId))
}

import type pg from 'pg'

import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { BadRequest, PermissionDenied } from '#kernel/failures'
import { requireUnlikeName } from '#auth/chosen_secret'
import { hashPassword } from '#identity/embedded/passwords'
import { requireNotStronger } from '#identity/embedded/strength'
import { onlyOwn, visibleRealm } from '#identity/embedded/visible_realm'
import type { Condition } from '#query/condition'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { RecordService } from '#records/record_service'
import { clock } from '#kernel/clock'

/** What users may not change of themselves. */
const MANAGED = ['name', 'nameLocked', 'active']

/**
 * Users, whose passwords come in plain and are kept as hashes. Who may not update users may still update itself, where it
 * holds the permission for that.
 */
export class UserService extends RecordService {
  override async create(origin: Origin, body: Values): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    requireUnlikeName('password', body.password, body.name)
    return super.create(origin, await withHash(body))
  }

  override async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    if (!origin.actor.permissions.has('user_update')) {
      requireOwn(origin.actor, id, body)
    }
    if (body.password !== undefined) {
      requireUnlikeName('password', body.password, body.name ?? (await this.#nameOf(id)))
    }
    return super.update(origin, id, await withHash(body))
  }

  async #nameOf(id: string): Promise<string | undefined> {
    const text = 'select name from users where id::text = lower($1)'
    const { rows } = await this.pool.query<{ name: string }>(text, [id])
    return rows[0]?.name
  }

  protected override visible(actor: Actor): readonly Condition[] {
    return actor.permissions.has('user_read') ? visibleRealm(actor, this.kind) : onlyOwn(actor)
  }

  protected override async prepareUpdate(
    { actor }: Origin,
    previous: Values,
    body: Values,
    transaction: pg.ClientBase
  ): Promise<Values> {
    await requireNotStronger(transaction, actor, 'user', previous.id as string)
    requireUnlockedName(previous, body)
    return endsSessions(body) ? { ...body, sessionsSince: new Date(clock.now()) } : body
  }

  protected override async inRemoval(
    transaction: pg.ClientBase,
    { actor }: Origin,
    { id }: Values
  ): Promise<void> {
    await requireNotStronger(transaction, actor, 'user', id as string)
  }
}

/** Whether a change shuts the user out, or locks out whoever knew the old password. */
function endsSessions({ password, active }: Values): boolean {
  return password !== undefined || active === false
}

async function withHash(body: Values): Promise<Values> {
  return body.password === undefined
    ? body
    : { ...body, password: await hashPassword(body.password as string) }
}

function requireOwn(actor: Actor, id: string, body: Values): void {
  const isOwn = actor.kind === 'user' && actor.id === id.toLowerCase()
  if (!isOwn || MANAGED.some((name) => body[name] !== undefined)) {
    throw PermissionDenied.missing(['user_update'])
  }
}

function requireUnlockedName(previous: Values, { name, nameLocked }: Values): void {
  const isLocked = nameLocked ?? previous.nameLocked
  if (isLocked && name !== undefined && name !== previous.name) {
    throw new BadRequest('The name of the user is locked: unlock it with nameLocked=false')
  }
}

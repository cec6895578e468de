import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { BadRequest, PermissionDenied } from '#kernel/failures'
import { requireUnlikeName } from '#auth/chosen_secret'
import { hashPassword } from '#identity/embedded/passwords'
import { standingIsHeard } from '#identity/embedded/standing'
import { requireNotStronger } from '#identity/embedded/strength'
import { ownOrRealm } from '#identity/embedded/visible_realm'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { realmFor } from '#kernel/realm'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'

import { user } from './user.js'

/** What users may not change of themselves. */
const MANAGED = ['name', 'nameLocked', 'active']

/**
 * Users, whose passwords come in plain and are kept as hashes. Who may not update users may still update itself, where it
 * holds the permission for that.
 */
export class UserService extends RecordService {
  constructor(options: RecordServiceOptions) {
    super(user, { ...options, scope: ownOrRealm('user_read') })
  }

  override async create(origin: Origin, body: Values): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    requireUnlikeName('password', body.password, body.name)
    const hashed = await withHash(body)
    await this.requireRelations(body)
    const values = { ...hashed, realmId: realmFor(origin.actor, body.realmId as string | null) }
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, values)
    )
    return data
  }

  override async update(origin: Origin, id: string, body: Values): Promise<string> {
    const { actor } = origin
    enforce(this.kind.access.update!, actor)
    if (!actor.permissions.has('user_update')) {
      requireOwn(actor, id, body)
    }
    if (body.password !== undefined) {
      requireUnlikeName('password', body.password, body.name ?? (await this.#nameOf(id)))
    }
    const hashed = await withHash(body)
    await this.requireRelations(body)
    const ended = endsSessions(body) ? { sessionsSince: new Date(clock.now()) } : {}
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      await requireNotStronger(transaction, actor, 'user', previous.id as string)
      requireUnlockedName(previous, body)
      return this.change(transaction, origin, previous, { ...hashed, ...ended })
    })
    await standingIsHeard()
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      await requireNotStronger(transaction, origin.actor, 'user', previous.id as string)
      return this.removeRecord(transaction, origin, previous)
    })
    await standingIsHeard()
    return data
  }

  async #nameOf(id: string): Promise<string | undefined> {
    const text = 'select name from users where id::text = lower($1)'
    const { rows } = await this.pool.query<{ name: string }>(text, [id])
    return rows[0]?.name
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

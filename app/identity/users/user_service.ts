import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { IdentityRecords } from '#identity/identity_records'
import { enforce, requires } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import { BadRequest, PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import { requireUnlikeName } from '#auth/chosen_secret'
import { IdentityService } from '#identity/embedded/identity_service'
import { hashPassword } from '#identity/embedded/passwords'
import { accessChangesDelivered } from '#identity/embedded/access_changes'
import { openSessions, type OpenSession } from '#identity/embedded/account/open_sessions'
import { requireNotStronger } from '#identity/embedded/strength'
import { ownOrRealm } from '#identity/embedded/visible_realm'
import type { Origin } from '#kernel/origin'
import { owningRealmFor } from '#kernel/realm'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'

import { user, User, type createUser, type updateUser } from './user.js'

/** Sessions name addresses and browsers, so that reading the user is not enough. */
export const SESSIONS_ACCESS = requires('user_update')

/** Attributes that users may not change themselves. */
const MANAGED = ['name', 'nameLocked', 'active'] as const

/** Users with hashed passwords. A user without `user_update` may still change itself with `user_self_manage`. */
@inject()
export class UserService extends IdentityService<typeof User> {
  constructor(records: IdentityRecords) {
    super(user, { ...records, scope: ownOrRealm('user_read') })
  }

  override async create(origin: Origin, body: BodyOf<typeof createUser>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    requireUnlikeName('password', body.password, body.name)
    return super.create(origin, await withHash(body))
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateUser>
  ): Promise<string> {
    const { actor } = origin
    enforce(this.kind.access.update!, actor)
    if (!actor.permissions.has('user_update')) {
      requireOwn(actor, id, body)
    }
    if (body.password !== undefined) {
      requireUnlikeName('password', body.password, body.name ?? (await this.#nameOf(id)))
    }
    const hashed = await withHash(body)
    const ended = endsSessions(body) ? sessionsEnd() : {}
    return super.update(origin, id, { ...hashed, ...ended })
  }

  protected override async lockWritable(
    origin: Origin,
    transaction: pg.ClientBase,
    id: string
  ): Promise<Row<typeof User>> {
    const previous = await super.lockWritable(origin, transaction, id)
    await requireNotStronger(transaction, origin.actor, 'user', previous.id)
    return previous
  }

  protected override valuesOfNew(
    actor: Actor,
    body: BodyOf<typeof createUser>
  ): RowValues<typeof User> {
    return { ...body, realmId: owningRealmFor(actor, body.realmId) }
  }

  protected override valuesAfter(
    previous: Row<typeof User>,
    body: BodyOf<typeof updateUser>
  ): RowValues<typeof User> {
    requireUnlockedName(previous, body)
    return body
  }

  /** Resets a password without an actor, for operators on the machine when all administrators are locked out. */
  async resetPassword(origin: Origin, id: string, password: string): Promise<void> {
    requireUnlikeName('password', password, await this.#nameOf(id))
    const hashed = await withHash({ password })
    await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lock(transaction, id)
      await this.change(transaction, origin, previous, { ...hashed, ...sessionsEnd() })
    })
    await accessChangesDelivered()
  }

  /** Where a user is signed in, for those who may end it. */
  async sessions(origin: Origin, id: string): Promise<OpenSession[]> {
    enforce(SESSIONS_ACCESS, origin.actor)
    await inTransaction(this.pool, (transaction) => this.lockWritable(origin, transaction, id))
    return openSessions(id)
  }

  /** Ends all sessions of a user. Returns how many were open. */
  async endSessions(origin: Origin, id: string): Promise<number> {
    const { length } = await this.sessions(origin, id)
    await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      await this.change(transaction, origin, previous, sessionsEnd())
    })
    await accessChangesDelivered()
    return length
  }

  async #nameOf(id: string): Promise<string | undefined> {
    const found = isUuid(id) ? await User.find(id) : null
    return found?.name
  }
}

const sessionsEnd = () => ({ sessionsSince: new Date(clock.now()).toISOString() })

/** Whether a change ends the sessions of the user. */
function endsSessions({ password, active }: BodyOf<typeof updateUser>): boolean {
  return password !== undefined || active === false
}

async function withHash<Body extends BodyOf<typeof updateUser>>(body: Body): Promise<Body> {
  return body.password === undefined
    ? body
    : { ...body, password: await hashPassword(body.password) }
}

function requireOwn(actor: Actor, id: string, body: BodyOf<typeof updateUser>): void {
  const isOwn = actor.kind === 'user' && actor.id === id.toLowerCase()
  if (!isOwn || MANAGED.some((name) => body[name] !== undefined)) {
    throw PermissionDenied.missing(['user_update'])
  }
}

function requireUnlockedName(
  previous: Row<typeof User>,
  { name, nameLocked }: BodyOf<typeof updateUser>
): void {
  const isLocked = nameLocked ?? previous.nameLocked
  if (isLocked && name !== undefined && name !== previous.name) {
    throw new BadRequest('The name of the user is locked: unlock it with nameLocked=false')
  }
}

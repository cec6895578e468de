import type pg from 'pg'

import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { requireUnlikeName } from '#auth/chosen_secret'
import { requireOtherThanRecords } from './record_clients.js'
import { requireRemovable, requireSameName } from '#identity/embedded/built_in'
import { newSecret, storedSecret } from '#identity/embedded/client_secrets'
import { standingIsHeard } from '#identity/embedded/standing'
import { requireNotStronger } from '#identity/embedded/strength'
import { ownOrRealm } from '#identity/embedded/visible_realm'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { realmFor } from '#kernel/realm'
import { RecordService, type RecordServiceOptions, type Untold } from '#records/record_service'
import { inTransaction } from '#records/transaction'

import { client } from './client.js'

/**
 * Clients, whose secrets are kept encrypted. One that needs a secret and was given none gets one made up.
 */
export class ClientService extends RecordService {
  constructor(options: RecordServiceOptions) {
    super(client, { ...options, scope: ownOrRealm('client_read') })
  }

  override async create(origin: Origin, body: Values): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const values = await valuesOf(origin.actor, body)
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, values)
    )
    return data
  }

  override async update(origin: Origin, id: string, body: Values): Promise<string> {
    const { actor } = origin
    enforce(this.kind.access.update!, actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      await requireNotStronger(transaction, actor, 'client', previous.id as string)
      requireOtherThanRecords(actor, previous)
      requireSameName(this.kind, previous, body)
      requireUnlikeName('secret', body.secret, body.name ?? previous.name)
      const secret = secretAfter(previous, body)
      const changed = secret === undefined ? {} : await storedSecret(secret)
      return this.change(transaction, origin, previous, { ...kept(body), ...changed })
    })
    await standingIsHeard()
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await requireRemovable(this.pool, this.kind, id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      await requireNotStronger(transaction, origin.actor, 'client', previous.id as string)
      return this.removeRecord(transaction, origin, previous)
    })
    await standingIsHeard()
    return data
  }

  /** Creates a client in the transaction that writes what it is for, of which others hear first. */
  async insertAlongside(
    transaction: pg.ClientBase,
    origin: Origin,
    { id, ...body }: Values & { readonly id: string }
  ): Promise<Untold> {
    enforce(this.kind.access.create!, origin.actor)
    const values = await valuesOf(origin.actor, body)
    return this.insertUntold(transaction, origin, { id, ...values })
  }

  /** Creates a client that comes with each realm. */
  async insertConsole(transaction: pg.ClientBase, origin: Origin, values: Values): Promise<void> {
    await this.insert(transaction, origin, values)
  }
}

/** What is stored for a new client. */
async function valuesOf(actor: Actor, body: Values): Promise<Values> {
  requireUnlikeName('secret', body.secret, body.name)
  const realmId = realmFor(actor, body.realmId as string | null)
  const needsSecret = body.authMethod === undefined || body.authMethod === 'secret'
  const secret = (body.secret as string | null | undefined) ?? (needsSecret ? newSecret() : null)
  return { ...kept(body), realmId, ...(await storedSecret(secret)) }
}

/** Without what older clients send and the provider decides by itself. */
function kept({ isConfidential, secretHashed, secretEncrypted, ...body }: Values): Values {
  return body
}

/** The secret that is set by a change; undefined where it stays as it is. */
function secretAfter(previous: Values, { secret, authMethod }: Values): string | null | undefined {
  if (secret !== undefined) {
    return secret as string | null
  }
  const isMissing = authMethod === 'secret' && previous.secretDigest === null
  return isMissing ? newSecret() : undefined
}

import type pg from 'pg'

import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import { requireUnlikeName } from '#auth/chosen_secret'
import { requireNotRecordClient } from './record_client_rules.js'
import { requireRemovable, requireSameName } from '#identity/embedded/built_in'
import { newSecret, storedSecret } from '#identity/embedded/client_secrets'
import { accessChangesDelivered } from '#identity/embedded/access_changes'
import { requireNotStronger } from '#identity/embedded/strength'
import { ownOrRealm } from '#identity/embedded/visible_realm'
import type { Origin } from '#kernel/origin'
import { owningRealmFor } from '#kernel/realm'
import {
  RecordService,
  type RecordServiceOptions,
  type WrittenWithPendingEvent,
} from '#records/record_service'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'

import { client, type Client, type createClient, type updateClient } from './client.js'

type NewClient = BodyOf<typeof createClient>
type ClientChange = BodyOf<typeof updateClient>
type Columns = RowValues<typeof Client>

/** Clients with encrypted secrets. A client that needs a secret gets a generated one if none is given. */
export class ClientService extends RecordService<typeof Client> {
  constructor(options: RecordServiceOptions) {
    super(client, { ...options, scope: ownOrRealm('client_read') })
  }

  override async create(origin: Origin, body: NewClient): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const values = await valuesOf(origin.actor, body)
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, values)
    )
    return data
  }

  override async update(origin: Origin, id: string, body: ClientChange): Promise<string> {
    const { actor } = origin
    enforce(this.kind.access.update!, actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      await requireNotStronger(transaction, actor, 'client', previous.id)
      requireNotRecordClient(actor, previous)
      requireSameName(this.kind, previous, body)
      requireUnlikeName('secret', body.secret, body.name ?? previous.name)
      const secret = secretAfter(previous, body)
      const changed = secret === undefined ? {} : await storedSecret(secret)
      return this.change(transaction, origin, previous, { ...withoutIgnored(body), ...changed })
    })
    await accessChangesDelivered()
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await requireRemovable(this.pool, this.kind, id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      await requireNotStronger(transaction, origin.actor, 'client', previous.id)
      return this.removeRecord(transaction, origin, previous)
    })
    await accessChangesDelivered()
    return data
  }

  /** Inserts a client in the transaction of its record, whose event is recorded first. */
  async insertForRecord(
    transaction: pg.ClientBase,
    origin: Origin,
    { id, ...body }: NewClient & { readonly id: string }
  ): Promise<WrittenWithPendingEvent<typeof Client>> {
    enforce(this.kind.access.create!, origin.actor)
    const values = await valuesOf(origin.actor, body)
    return this.insertWithPendingEvent(transaction, origin, { id, ...values })
  }

  /** Inserts a built-in client of a new realm. */
  async insertConsole(transaction: pg.ClientBase, origin: Origin, values: Columns): Promise<void> {
    await this.insert(transaction, origin, values)
  }
}

/** The columns of a new client. */
async function valuesOf(actor: Actor, body: NewClient): Promise<Columns> {
  requireUnlikeName('secret', body.secret, body.name)
  const realmId = owningRealmFor(actor, body.realmId)
  const needsSecret = body.authMethod === undefined || body.authMethod === 'secret'
  const secret = body.secret ?? (needsSecret ? newSecret() : null)
  return { ...withoutIgnored(body), realmId, ...(await storedSecret(secret)) }
}

/** Drops attributes that older callers send and the provider determines itself. */
function withoutIgnored<Body extends ClientChange>({
  isConfidential,
  secretHashed,
  secretEncrypted,
  ...body
}: Body) {
  return body
}

/** The secret that a change sets; undefined if it stays. */
function secretAfter(
  previous: Row<typeof Client>,
  { secret, authMethod }: ClientChange
): string | null | undefined {
  if (secret !== undefined) {
    return secret
  }
  const isMissing = authMethod === 'secret' && previous.secretDigest === null
  return isMissing ? newSecret() : undefined
}

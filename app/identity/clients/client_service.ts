import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { IdentityRecords } from '#identity/identity_records'
import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import { requireUnlikeName } from '#auth/chosen_secret'
import { requireNotRecordClient } from './record_client_rules.js'
import { newSecret, storedSecret } from '#identity/embedded/client_secrets'
import { IdentityService } from '#identity/embedded/identity_service'
import { requireNotStronger } from '#identity/embedded/strength'
import { ownOrRealm } from '#identity/embedded/visible_realm'
import type { Origin } from '#kernel/origin'
import { owningRealmFor } from '#kernel/realm'
import type { WrittenWithPendingEvent } from '#records/record_service'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'

import { client, type Client, type createClient, type updateClient } from './client.js'

type NewClient = BodyOf<typeof createClient>
type ClientChange = BodyOf<typeof updateClient>
type Columns = RowValues<typeof Client>

/** Clients with encrypted secrets. A client that needs a secret gets a generated one if none is given. */
@inject()
export class ClientService extends IdentityService<typeof Client> {
  constructor(records: IdentityRecords) {
    super(client, { ...records, scope: ownOrRealm('client_read') })
  }

  protected override async lockWritable(
    origin: Origin,
    transaction: pg.ClientBase,
    id: string
  ): Promise<Row<typeof Client>> {
    const previous = await super.lockWritable(origin, transaction, id)
    await requireNotStronger(transaction, origin.actor, 'client', previous.id)
    return previous
  }

  protected override async valuesOfNew(actor: Actor, body: NewClient): Promise<Columns> {
    requireUnlikeName('secret', body.secret, body.name)
    const realmId = owningRealmFor(actor, body.realmId)
    const needsSecret = body.authMethod === undefined || body.authMethod === 'secret'
    const secret = body.secret ?? (needsSecret ? newSecret() : null)
    return { ...withoutIgnored(body), realmId, ...(await storedSecret(secret)) }
  }

  protected override async valuesAfter(
    previous: Row<typeof Client>,
    body: ClientChange,
    actor: Actor
  ): Promise<Columns> {
    requireNotRecordClient(actor, previous)
    await super.valuesAfter(previous, body, actor)
    requireUnlikeName('secret', body.secret, body.name ?? previous.name)
    const secret = secretAfter(previous, body)
    const changed = secret === undefined ? {} : await storedSecret(secret)
    return { ...withoutIgnored(body), ...changed }
  }

  /** Inserts a client in the transaction of its record, whose event is recorded first. */
  async insertForRecord(
    transaction: pg.ClientBase,
    origin: Origin,
    { id, ...body }: NewClient & { readonly id: string }
  ): Promise<WrittenWithPendingEvent<typeof Client>> {
    enforce(this.kind.access.create!, origin.actor)
    const values = await this.valuesOfNew(origin.actor, body)
    return this.insertWithPendingEvent(transaction, origin, { id, ...values })
  }

  /** Inserts a built-in client of a new realm. */
  async insertConsole(transaction: pg.ClientBase, origin: Origin, values: Columns): Promise<void> {
    await this.insert(transaction, origin, values)
  }
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

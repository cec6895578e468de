import type pg from 'pg'

import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { requireUnlikeName } from '#auth/chosen_secret'
import { requireOtherThanRecords } from '#identity/clients/record_clients'
import { requireRemovable, requireSameName } from '#identity/embedded/built_in'
import { newSecret, storedSecret } from '#identity/embedded/client_secrets'
import { requireNotStronger } from '#identity/embedded/strength'
import { onlyOwn, visibleRealm } from '#identity/embedded/visible_realm'
import type { Condition } from '#query/condition'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { RecordService } from '#records/record_service'

/**
 * Clients, whose secrets are kept encrypted. One that needs a secret and was given none gets one made up.
 */
export class ClientService extends RecordService {
  /** Creates a client in the transaction that writes what it is for. */
  async createAlongside(
    transaction: pg.ClientBase,
    origin: Origin,
    { id, ...body }: Values
  ): Promise<void> {
    enforce(this.kind.access.create!, origin.actor)
    const values = await this.prepareCreation(origin, body)
    await this.createWithin(transaction, origin, { id, ...values })
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await requireRemovable(this.pool, this.kind, id)
    return super.remove(origin, id)
  }

  protected override visible(actor: Actor): readonly Condition[] {
    return actor.permissions.has('client_read') ? visibleRealm(actor, this.kind) : onlyOwn(actor)
  }

  protected override async prepareCreation(origin: Origin, body: Values): Promise<Values> {
    requireUnlikeName('secret', body.secret, body.name)
    const values = await super.prepareCreation(origin, kept(body))
    const needsSecret = body.authMethod === undefined || body.authMethod === 'secret'
    const secret = (body.secret as string | null | undefined) ?? (needsSecret ? newSecret() : null)
    return { ...values, ...(await storedSecret(secret)) }
  }

  protected override async prepareUpdate(
    { actor }: Origin,
    previous: Values,
    body: Values,
    transaction: pg.ClientBase
  ): Promise<Values> {
    await requireNotStronger(transaction, actor, 'client', previous.id as string)
    requireOtherThanRecords(actor, previous)
    requireSameName(this.kind, previous, body)
    requireUnlikeName('secret', body.secret, body.name ?? previous.name)
    const secret = secretAfter(previous, body)
    return secret === undefined ? kept(body) : { ...kept(body), ...(await storedSecret(secret)) }
  }

  protected override async inRemoval(
    transaction: pg.ClientBase,
    { actor }: Origin,
    { id }: Values
  ): Promise<void> {
    await requireNotStronger(transaction, actor, 'client', id as string)
  }
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

import { enforce } from '#kernel/access'
import type { ClientService } from '#identity/clients/client_service'
import { newConsoles } from '#identity/clients/consoles'
import { requireRemovable, requireSameName } from '#identity/embedded/built_in'
import { NamedService } from '#identity/embedded/named_service'
import { standingIsHeard } from '#identity/embedded/standing'
import { requireNobodyStronger } from '#identity/embedded/strength'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { requireRealm } from '#kernel/realm'
import type { RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

import { realm } from './realm.js'

/**
 * Realms belong to themselves; whether there is one more, or one less, is up to the master realm. Each comes with the clients
 * that its users sign in through.
 */
export class RealmService extends NamedService {
  readonly #clients: ClientService

  constructor(options: RecordServiceOptions, clients: ClientService) {
    super(realm, options)
    this.#clients = clients
  }

  override async create(origin: Origin, body: Values): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    requireRealm(origin.actor, null)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const created = await this.insert(transaction, origin, body)
      for (const client of newConsoles(created.values.id as string)) {
        await this.#clients.insertConsole(transaction, origin, client)
      }
      return created
    })
    return data
  }

  override async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      requireSameName(this.kind, previous, body)
      return this.change(transaction, origin, previous, body)
    })
    await standingIsHeard()
    return data
  }

  /** Everybody of a realm goes with it. */
  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    requireRealm(origin.actor, null)
    await requireRemovable(this.pool, this.kind, id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      await requireNobodyStronger(transaction, origin.actor, previous.id as string)
      return this.removeRecord(transaction, origin, previous)
    })
    await standingIsHeard()
    return data
  }
}

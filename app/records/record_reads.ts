import type { DatabasePool } from '#database/database_pool'
import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { EntityNotFound } from '#kernel/failures'
import type { Condition } from '#query/condition'
import type { DecodedQuery, Selection } from '#query/decode'
import type { ListRow, ReadOptions } from '#query/sql/list_statement'
import type { Origin } from '#kernel/origin'
import type { Kind } from './kind.js'
import type { ModelClass } from './model.js'
import { RecordStore } from './record_store.js'
import { selectedSecrets, revealTo, type SelectedSecrets } from './secrets.js'

/** Limits the records of a kind that an actor sees. */
export type Scope = (actor: Actor, kind: Kind) => readonly Condition[]

/** The read operations of a kind. */
export class RecordReads<M extends ModelClass = ModelClass> {
  protected readonly store: RecordStore<M>
  readonly #scope: Scope | undefined

  constructor(
    readonly kind: Kind<M>,
    protected readonly pool: DatabasePool,
    scope?: Scope
  ) {
    this.store = new RecordStore(kind, pool)
    this.#scope = scope
  }

  async list(origin: Origin, query: DecodedQuery): Promise<ListRow> {
    enforce(this.kind.access.read, origin.actor)
    const secrets = selectedSecrets(this.kind, query.selection)
    const options = this.#optionsFor(origin.actor, secrets)
    if (!secrets) {
      return this.store.list(query, options)
    }
    const { data, total } = await this.store.list(
      { ...query, selection: secrets.selection },
      options
    )
    return { data: await secrets.show(origin, data), total }
  }

  async read(origin: Origin, id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, origin.actor)
    const secrets = selectedSecrets(this.kind, selection)
    const options = this.#optionsFor(origin.actor, secrets)
    const record = await this.store.read(id, secrets?.selection ?? selection, options)
    if (record === undefined) {
      return this.missing()
    }
    return secrets ? secrets.show(origin, record) : record
  }

  /** A page for anonymous callers, limited to the public columns. */
  async listOpen(query: DecodedQuery): Promise<ListRow> {
    enforce(this.kind.access.read, undefined)
    return this.store.list(query, {})
  }

  /** A record for anonymous callers, limited to the public columns. */
  async readOpen(id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, undefined)
    return (await this.store.read(id, selection, {})) ?? this.missing()
  }

  /** Resolves the record id of a path. Kinds with other names for their records override this. */
  async idOf(named: string): Promise<string> {
    return named
  }

  protected missing(): never {
    throw new EntityNotFound(this.kind.label)
  }

  #optionsFor(actor: Actor, secrets: SelectedSecrets | undefined): ReadOptions {
    const where = this.#scope?.(actor, this.kind) ?? []
    return { ...(where.length > 0 && { where }), ...(secrets && { reveal: revealTo(actor) }) }
  }
}

import type pg from 'pg'

import type { MasterImageGroup } from '#core/master_image_groups/master_image_group'
import type { Origin } from '#kernel/origin'
import type { ModelClass } from '#records/model'
import type { RowValues } from '#records/record_store'
import { RecordWrites } from '#records/record_writes'
import type { Row } from '#records/row'
import type { MasterImage } from './master_image.js'

/** What a repository says of an image or a group. */
export interface Listed {
  readonly virtualPath: string
}

/** What is done where a record changed or is to go, beside that. */
export interface Follows {
  readonly changed?: (id: string) => Promise<void>
  readonly remove?: (id: string) => Promise<void>
}

/**
 * A list of records that is kept in step with what a repository holds: each is known by its virtual path.
 */
export class Catalogue<M extends typeof MasterImage | typeof MasterImageGroup> extends RecordWrites<
  M & ModelClass
> {
  async replace(
    transaction: pg.ClientBase,
    origin: Origin,
    listed: readonly (RowValues<M> & Listed)[],
    { changed, remove }: Follows = {}
  ): Promise<void> {
    const known = await this.#known(transaction)
    const each = new Map(listed.map((values) => [values.virtualPath, values]))
    for (const values of each.values()) {
      const id = known.get(values.virtualPath)
      known.delete(values.virtualPath)
      if (id === undefined) {
        await this.insert(transaction, origin, values)
      } else {
        const held: Row<M & ModelClass> = await this.lock(transaction, id)
        const written = await this.change(transaction, origin, held, values)
        if (written.values !== held) {
          await changed?.(id)
        }
      }
    }
    for (const id of known.values()) {
      await (remove?.(id) ?? this.#removeById(transaction, origin, id))
    }
  }

  async #removeById(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const held: Row<M & ModelClass> = await this.lock(transaction, id)
    await this.removeRecord(transaction, origin, held)
  }

  /** Ids by virtual path, all of them held in one order. */
  async #known(transaction: pg.ClientBase): Promise<Map<string, string>> {
    const { rows } = await transaction.query<{ id: string; path: string }>(
      `select id, virtual_path as path from ${this.kind.table} order by id for update`
    )
    return new Map(rows.map(({ id, path }) => [path, id]))
  }
}

import type pg from 'pg'

import type { MasterImageGroup } from '#core/master_image_groups/master_image_group'
import type { Origin } from '#kernel/origin'
import type { ModelClass } from '#records/model'
import type { RowValues } from '#records/record_store'
import { RecordWrites } from '#records/record_writes'
import type { Row } from '#records/row'
import type { MasterImage } from './master_image.js'

/** What a repository says of an image or a group. */
export interface CatalogueEntry {
  readonly virtualPath: string
}

/** What is done where a record changed or is to go, beside that. */
export interface CatalogueCallbacks {
  readonly onChange?: (id: string) => Promise<void>
  readonly removeRecord?: (id: string) => Promise<void>
}

/**
 * A list of records that is kept in step with what a repository holds: each is known by its virtual path.
 */
export class ImageCatalogue<
  M extends typeof MasterImage | typeof MasterImageGroup,
> extends RecordWrites<M & ModelClass> {
  async replace(
    transaction: pg.ClientBase,
    origin: Origin,
    entries: readonly (RowValues<M> & CatalogueEntry)[],
    { onChange: changed, removeRecord: remove }: CatalogueCallbacks = {}
  ): Promise<void> {
    const idsByPath = await this.#lockIds(transaction)
    const each = new Map(entries.map((values) => [values.virtualPath, values]))
    for (const values of each.values()) {
      const id = idsByPath.get(values.virtualPath)
      idsByPath.delete(values.virtualPath)
      if (id === undefined) {
        await this.insert(transaction, origin, values)
      } else {
        const previous: Row<M & ModelClass> = await this.lock(transaction, id)
        const written = await this.change(transaction, origin, previous, values)
        if (written.values !== previous) {
          await changed?.(id)
        }
      }
    }
    for (const id of idsByPath.values()) {
      await (remove?.(id) ?? this.#removeById(transaction, origin, id))
    }
  }

  async #removeById(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const previous: Row<M & ModelClass> = await this.lock(transaction, id)
    await this.removeRecord(transaction, origin, previous)
  }

  /** Ids by virtual path, all of them held in one order. */
  async #lockIds(transaction: pg.ClientBase): Promise<Map<string, string>> {
    const { rows } = await transaction.query<{ id: string; path: string }>(
      `select id, virtual_path as path from ${this.kind.table} order by id for update`
    )
    return new Map(rows.map(({ id, path }) => [path, id]))
  }
}

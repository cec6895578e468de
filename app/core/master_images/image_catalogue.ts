import type pg from 'pg'

import type { MasterImageGroup } from '#core/master_image_groups/master_image_group'
import type { Origin } from '#kernel/origin'
import type { ModelClass } from '#records/model'
import type { RowValues } from '#records/record_store'
import { RecordWrites } from '#records/record_writes'
import type { Row } from '#records/row'
import type { MasterImage } from './master_image.js'

/** An image or a group in the repository. */
export interface CatalogueEntry {
  readonly virtualPath: string
}

/** Called for records that changed, and in place of the removal of a record. */
export interface CatalogueCallbacks {
  readonly onChange?: (id: string) => Promise<void>
  readonly onRemove?: (id: string) => Promise<void>
}

/** Replaces the records of images or groups by the contents of a repository. The virtual path identifies a record. */
export class ImageCatalogue<
  M extends typeof MasterImage | typeof MasterImageGroup,
> extends RecordWrites<M & ModelClass> {
  async replace(
    transaction: pg.ClientBase,
    origin: Origin,
    entries: readonly (RowValues<M> & CatalogueEntry)[],
    { onChange, onRemove }: CatalogueCallbacks = {}
  ): Promise<void> {
    const idsByPath = await this.#lockIds(transaction)
    const entriesByPath = new Map(entries.map((values) => [values.virtualPath, values]))
    for (const values of entriesByPath.values()) {
      const id = idsByPath.get(values.virtualPath)
      idsByPath.delete(values.virtualPath)
      if (id === undefined) {
        await this.insert(transaction, origin, values)
      } else {
        const previous: Row<M & ModelClass> = await this.lock(transaction, id)
        const written = await this.change(transaction, origin, previous, values)
        if (written.values !== previous) {
          await onChange?.(id)
        }
      }
    }
    for (const id of idsByPath.values()) {
      await (onRemove?.(id) ?? this.#removeById(transaction, origin, id))
    }
  }

  async #removeById(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const previous: Row<M & ModelClass> = await this.lock(transaction, id)
    await this.removeRecord(transaction, origin, previous)
  }

  /** Locks all records in one order, and returns their ids by virtual path. */
  async #lockIds(transaction: pg.ClientBase): Promise<Map<string, string>> {
    const { rows } = await transaction.query<{ id: string; path: string }>(
      `select id, virtual_path as path from ${this.kind.table} order by id for update`
    )
    return new Map(rows.map(({ id, path }) => [path, id]))
  }
}

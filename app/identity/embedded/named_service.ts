import { isUuid } from '#kernel/is_uuid'
import type { Selection } from '#query/decode'
import type { Origin } from '#kernel/origin'
import { enforce } from '#kernel/access'
import type { Values } from '#records/kind'
import { RecordService } from '#records/record_service'
import { requireRemovable, requireSameName } from './built_in.js'

/**
 * Records that are known by name as well as by id, some of which the provider came with.
 */
export class NamedService extends RecordService {
  override async read(origin: Origin, idOrName: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, origin.actor)
    return super.read(origin, await this.#idOf(idOrName), selection)
  }

  override async readOpen(idOrName: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, undefined)
    return super.readOpen(await this.#idOf(idOrName), selection)
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await requireRemovable(this.pool, this.kind, id)
    return super.remove(origin, id)
  }

  protected override async prepareUpdate(
    _origin: Origin,
    previous: Values,
    body: Values
  ): Promise<Values> {
    requireSameName(this.kind, previous, body)
    return body
  }

  async #idOf(idOrName: string): Promise<string> {
    if (isUuid(idOrName) || idOrName.includes('\0')) {
      return idOrName
    }
    const { rows } = await this.pool.query<{ id: string }>(
      `select id from ${this.kind.table} where lower(name) = lower($1)`,
      [idOrName]
    )
    return rows[0]?.id ?? idOrName
  }
}

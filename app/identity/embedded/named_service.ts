import { enforce } from '#kernel/access'
import type { Selection } from '#query/decode'
import type { Origin } from '#kernel/origin'
import { isUuid } from '#kernel/is_uuid'
import type { ModelClass } from '#records/model'

import { IdentityService } from './identity_service.js'

/** Records that can be read by name or id. */
export abstract class NamedService<M extends ModelClass> extends IdentityService<M> {
  override async read(origin: Origin, idOrName: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, origin.actor)
    return super.read(origin, await this.#idOf(idOrName), selection)
  }

  override async readOpen(idOrName: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, undefined)
    return super.readOpen(await this.#idOf(idOrName), selection)
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

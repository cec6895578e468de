import type pg from 'pg'

import { seal, unseal } from '#records/sealing'
import { isUuid } from '#kernel/is_uuid'
import { clock } from '#kernel/clock'

import { isSame } from './same_secret.js'

const SECRET_BYTES = 32

const READ = 'select secret from registry_hooks where registry_id = $1'

/** What a key that is gone has sealed is replaced, unless another process has done so. */
const KEEP = `
  insert into registry_hooks as h (registry_id, secret) select id, $2 from registries where id = $1 for key share
  on conflict (registry_id) do update set secret = excluded.secret where h.secret = $3`

/**
 * The secrets with which registries show that it is they who tell us something: one for each, good for nothing else.
 */
export class HookSecrets {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** The secret of a registry, which is made up where it has none; undefined where there is no such registry. */
  async of(registryId: string): Promise<string | undefined> {
    const kept = await this.#read(registryId)
    if (kept?.secret) {
      return kept.secret
    }
    const secret = clock.random(SECRET_BYTES).toString('hex')
    const values = [registryId, seal('registry hook', secret), kept?.sealed ?? null]
    await this.#pool.query(KEEP, values)
    const now = await this.#read(registryId)
    return now?.secret ?? undefined
  }

  async isOf(registryId: string, sent: Buffer): Promise<boolean> {
    const kept = isUuid(registryId) ? await this.#read(registryId) : undefined
    return isSame(sent, kept?.secret ?? '') && Boolean(kept?.secret)
  }

  /** What a registry was given is good for nothing from now on; the next time it is linked it gets another one. */
  async revoke(transaction: pg.ClientBase, registryId: string): Promise<void> {
    await transaction.query('delete from registry_hooks where registry_id = $1', [registryId])
  }

  async #read(registryId: string) {
    const { rows } = await this.#pool.query<{ secret: string }>(READ, [registryId])
    const sealed = rows[0]?.secret
    return sealed === undefined ? undefined : { sealed, secret: unseal('registry hook', sealed) }
  }
}

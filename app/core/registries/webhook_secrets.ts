import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { seal, unseal } from '#records/sealing'
import { isUuid } from '#kernel/is_uuid'
import { clock } from '#kernel/clock'

import { isSameSecret } from './is_same_secret.js'

const SECRET_BYTES = 32

const SELECT_SECRET = 'select secret from registry_hooks where registry_id = $1'

/** Replaces a secret that cannot be unsealed, unless another process already did. */
const UPSERT_SECRET = `
  insert into registry_hooks as h (registry_id, secret) select id, $2 from registries where id = $1 for key share
  on conflict (registry_id) do update set secret = excluded.secret where h.secret = $3`

/** The secrets that authenticate webhook requests, one per registry. */
@inject()
export class WebhookSecrets {
  readonly #pool: pg.Pool

  constructor(pool: CorePool) {
    this.#pool = pool
  }

  /** Returns the secret of a registry, and generates it first if there is none. Undefined if the registry does not exist. */
  async findOrCreate(registryId: string): Promise<string | undefined> {
    const stored = await this.#read(registryId)
    if (stored?.secret) {
      return stored.secret
    }
    const secret = clock.random(SECRET_BYTES).toString('hex')
    const values = [registryId, seal('registry hook', secret), stored?.sealed ?? null]
    await this.#pool.query(UPSERT_SECRET, values)
    const current = await this.#read(registryId)
    return current?.secret ?? undefined
  }

  async verify(registryId: string, sent: Buffer): Promise<boolean> {
    const stored = isUuid(registryId) ? await this.#read(registryId) : undefined
    return isSameSecret(sent, stored?.secret ?? '') && Boolean(stored?.secret)
  }

  /** Revokes the secret of a registry. The next link creates another one. */
  async revoke(transaction: pg.ClientBase, registryId: string): Promise<void> {
    await transaction.query('delete from registry_hooks where registry_id = $1', [registryId])
  }

  async #read(registryId: string) {
    const { rows } = await this.#pool.query<{ secret: string }>(SELECT_SECRET, [registryId])
    const sealed = rows[0]?.secret
    return sealed === undefined ? undefined : { sealed, secret: unseal('registry hook', sealed) }
  }
}

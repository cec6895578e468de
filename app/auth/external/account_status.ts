import type { Logger } from '@adonisjs/core/logger'

import type { Introspection } from '#auth/provider'
import { clock } from '#kernel/clock'

import type { ProviderApi } from './provider_api.js'

const COLLECTIONS = { user: '/users', client: '/clients', robot: undefined }
const WARN_EVERY_MS = 60_000

type Subject = Pick<Introspection, 'sub' | 'sub_kind'>

/** Whether an account exists and is active. Some providers still accept tokens of deactivated users. */
export class AccountStatus {
  readonly #api: ProviderApi
  readonly #logger: Pick<Logger, 'warn'>
  #warnAfter = 0

  constructor(api: ProviderApi, logger: Pick<Logger, 'warn'>) {
    this.#api = api
    this.#logger = logger
  }

  async isActive({ sub, sub_kind: kind }: Subject): Promise<boolean> {
    const collection = COLLECTIONS[kind]
    if (collection === undefined) {
      return true
    }
    const path = `${collection}/${encodeURIComponent(sub)}?fields=id,active`
    const { status, body } = await this.#api.call(path, { expected: [200, 403, 404] })
    if (status === 403) {
      this.#warn(kind)
      return true
    }
    return status === 200 && body?.data?.active !== false
  }

  /** Without permission to read accounts, all of them count as active. */
  #warn(kind: Subject['sub_kind']): void {
    if (clock.now() >= this.#warnAfter) {
      this.#warnAfter = clock.now() + WARN_EVERY_MS
      this.#logger.warn(
        { missing: `${kind}_read` },
        'deactivated accounts cannot be detected: grant this permission to the client of the platform, with realm scope any'
      )
    }
  }
}

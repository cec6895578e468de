import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { sendLinkCommand, sendUnlinkCommand } from '#core/nodes/link_commands'
import { registryProject, type RegistryProject } from '#core/registry_projects/registry_project'
import { BadRequest, EntityNotFound } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { BodyOf } from '#kernel/body'
import type { Kind } from '#records/kind'
import type { ModelClass } from '#records/model'
import { RecordStore } from '#records/record_store'
import type { Row } from '#records/row'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'

import { sendRegistryCommand, sendWebhookCommand } from './commands.js'
import type { webhookBody } from './webhook_body.js'
import { WebhookSecrets } from './webhook_secrets.js'
import type { WebhookSender } from './webhook_senders.js'
import { registry } from './registry.js'
import { RegistryLinks } from './registry_links.js'
import { WorkerAccounts } from './worker_accounts.js'
import { sendLinkCommands } from './send_link_commands.js'

export const REGISTRY_OPERATIONS = [
  'setup',
  'cleanup',
  'delete',
  'projectLink',
  'projectUnlink',
  'hookRenew',
  'workerRenew',
] as const

export interface RegistryOperation {
  readonly command: (typeof REGISTRY_OPERATIONS)[number]
  readonly id: string
  readonly secret?: string | null
  /** The external name of the project, repeated to confirm that an existing project is adopted. */
  readonly adopt?: string | null
}

/** Operations on registries that callers request. They run in the background: no request waits for a registry. */
@inject()
export class RegistryOperations {
  readonly #pool: CorePool
  readonly #links: RegistryLinks
  readonly #hooks: WebhookSecrets
  readonly #workers: WorkerAccounts

  constructor(
    pool: CorePool,
    links: RegistryLinks,
    hooks: WebhookSecrets,
    workers: WorkerAccounts
  ) {
    this.#pool = pool
    this.#links = links
    this.#hooks = hooks
    this.#workers = workers
  }

  /** Schedules an operation. The caller has to be authorized already. */
  execute({ command, id, secret, adopt }: RegistryOperation): Promise<void> {
    return inTransaction(this.#pool, async (transaction) => {
      switch (command) {
        case 'projectLink':
          await this.#links.lockRegistryOfProject(transaction, id)
          await this.#link(
            transaction,
            await this.#lockRequired(transaction, registryProject, id),
            adopt
          )
          // The secret is stored with the link, since messages must not contain secrets.
          await this.#links.requestLink(transaction, id, secret)
          return sendLinkCommand(transaction, { id })
        case 'projectUnlink':
          return sendUnlinkCommand(
            transaction,
            await this.#lockRequired(transaction, registryProject, id)
          )
        case 'hookRenew':
          await this.#lockRequired(transaction, registry, id)
          await this.#hooks.revoke(transaction, id)
          return sendLinkCommands(transaction, id)
        case 'workerRenew':
          await this.#lockRequired(transaction, registry, id)
          return this.#workers.rotate(transaction, id)
        default:
          await this.#lockRequired(transaction, registry, id)
          return sendRegistryCommand(transaction, COMMAND_TYPES[command], id)
      }
    })
  }

  /** Publishes a webhook event. Ignores events about projects that are not those of the sender. */
  receive(event: BodyOf<typeof webhookBody>, { registryId }: WebhookSender): Promise<void> {
    return inTransaction(this.#pool, async (transaction) => {
      if (registryId === null || (await hasProject(transaction, registryId, event))) {
        await sendWebhookCommand(transaction, event, clock.uuid())
      }
    })
  }

  async #link(
    transaction: pg.ClientBase,
    project: Row<typeof RegistryProject>,
    adopt: string | null | undefined
  ): Promise<void> {
    if (typeof adopt !== 'string') {
      return
    }
    const { externalName } = project
    if (adopt !== externalName) {
      const message = `The name of the project in its registry is ${externalName}: send it as adopt to adopt the project`
      throw new BadRequest('Property adopt is invalid', {
        issues: [issue('value_invalid', ['adopt'], message)],
      })
    }
    await this.#links.adopt(transaction, project)
  }

  async #lockRequired<M extends ModelClass>(
    transaction: pg.ClientBase,
    kind: Kind<M>,
    id: string
  ): Promise<Row<M>> {
    const record = await new RecordStore(kind, this.#pool).lock(transaction, id)
    if (!record) {
      throw new EntityNotFound(kind.label)
    }
    return record
  }
}

const COMMAND_TYPES = { setup: 'SETUP', cleanup: 'CLEANUP', delete: 'DELETE' } as const

async function hasProject(
  transaction: pg.ClientBase,
  registryId: string,
  { event_data: { repository } }: BodyOf<typeof webhookBody>
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'select 1 from registry_projects where registry_id = $1 and external_name = $2',
    [registryId, repository.namespace]
  )
  return rowCount! > 0
}

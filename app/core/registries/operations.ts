import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { linkLater, unlinkLater } from '#core/nodes/registry_commands'
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

import { commandRegistry, processHook } from './commands.js'
import type { hookBody } from './hook_body.js'
import type { HookSecrets } from './hook_secrets.js'
import type { HookSender } from './hook_sender.js'
import { registry } from './registry.js'
import type { RegistryLinks } from './registry_links.js'
import type { RegistryWorkers } from './registry_workers.js'
import { linkAllOf } from './registry_projects_of.js'

export const COMMANDS = [
  'setup',
  'cleanup',
  'delete',
  'projectLink',
  'projectUnlink',
  'hookRenew',
  'workerRenew',
] as const

export interface Command {
  readonly command: (typeof COMMANDS)[number]
  readonly id: string
  readonly secret?: string | null
  /** What a project is called in its registry, said once more: whatever has the name there is taken over. */
  readonly adopt?: string | null
}

interface Needs {
  readonly pool: DatabasePool
  readonly links: RegistryLinks
  readonly hooks: HookSecrets
  readonly workers: RegistryWorkers
}

/**
 * What is asked of registries. It is written down and done later: no request waits for a registry.
 */
export class RegistryOperations {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** For a caller that was allowed to order it. */
  order({ command, id, secret, adopt }: Command): Promise<void> {
    const { pool, links, hooks, workers } = this.#needs
    return inTransaction(pool, async (transaction) => {
      switch (command) {
        case 'projectLink':
          await links.holdOf(transaction, id)
          await this.#link(
            transaction,
            await this.#required(transaction, registryProject, id),
            adopt
          )
          // The secret waits in the table of links: it is not for the bus.
          await links.want(transaction, id, secret)
          return linkLater(transaction, { id })
        case 'projectUnlink':
          return unlinkLater(transaction, await this.#required(transaction, registryProject, id))
        case 'hookRenew':
          await this.#required(transaction, registry, id)
          await hooks.revoke(transaction, id)
          return linkAllOf(transaction, id)
        case 'workerRenew':
          await this.#required(transaction, registry, id)
          return workers.renew(transaction, id)
        default:
          await this.#required(transaction, registry, id)
          return commandRegistry(transaction, OF_REGISTRY[command], id)
      }
    })
  }

  /** What a registry tells of others than its own projects is not believed. */
  receive(told: BodyOf<typeof hookBody>, { registryId }: HookSender): Promise<void> {
    return inTransaction(this.#needs.pool, async (transaction) => {
      if (registryId === null || (await isOwn(transaction, registryId, told))) {
        await processHook(transaction, told, clock.uuid())
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
      const message = `The project is called ${externalName} in its registry; send that as adopt to have it taken over`
      throw new BadRequest('Property adopt is invalid', {
        issues: [issue('value_invalid', ['adopt'], message)],
      })
    }
    await this.#needs.links.adopt(transaction, project)
  }

  async #required<M extends ModelClass>(
    transaction: pg.ClientBase,
    kind: Kind<M>,
    id: string
  ): Promise<Row<M>> {
    const found = await new RecordStore(kind, this.#needs.pool).lock(transaction, id)
    if (!found) {
      throw new EntityNotFound(kind.label)
    }
    return found
  }
}

const OF_REGISTRY = { setup: 'SETUP', cleanup: 'CLEANUP', delete: 'DELETE' } as const

async function isOwn(
  transaction: pg.ClientBase,
  registryId: string,
  { event_data: { repository } }: BodyOf<typeof hookBody>
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'select 1 from registry_projects where registry_id = $1 and external_name = $2',
    [registryId, repository.namespace]
  )
  return rowCount! > 0
}

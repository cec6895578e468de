import type pg from 'pg'

import { linkLater, unlinkLater } from '#core/nodes/registry_commands'
import { registryProject } from '#core/registry_projects/registry_project'
import { EntityNotFound } from '#kernel/failures'
import type { Kind, Values } from '#records/kind'
import { RecordStore } from '#records/record_store'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'

import { commandRegistry, processHook } from './commands.js'
import type { HookSender } from './hook_sender.js'
import { registry } from './registry.js'
import { linkAllOf } from './registry_projects_of.js'
import { corePool, hookSecrets, registryLinks } from './work.js'

export const COMMANDS = [
  'setup',
  'cleanup',
  'delete',
  'projectLink',
  'projectUnlink',
  'hookRenew',
] as const

export interface Command {
  readonly command: (typeof COMMANDS)[number]
  readonly id: string
  readonly secret?: string | null
}

/**
 * What is asked of registries. It is written down and done later: no request waits for a registry.
 */
export class RegistryOperations {
  /** For a caller that was allowed to order it. */
  order({ command, id, secret }: Command): Promise<void> {
    return inTransaction(corePool(), async (transaction) => {
      switch (command) {
        case 'projectLink':
          await required(transaction, registryProject, id)
          // The secret waits in the table of links: it is not for the bus.
          await registryLinks().want(transaction, id, secret)
          return linkLater(transaction, { id })
        case 'projectUnlink':
          return unlinkLater(transaction, await required(transaction, registryProject, id))
        case 'hookRenew':
          await required(transaction, registry, id)
          await hookSecrets().revoke(transaction, id)
          return linkAllOf(transaction, id)
        default:
          await required(transaction, registry, id)
          return commandRegistry(transaction, OF_REGISTRY[command], id)
      }
    })
  }

  /** What a registry tells of others than its own projects is not believed. */
  hear(told: Values, { registryId }: HookSender): Promise<void> {
    return inTransaction(corePool(), async (transaction) => {
      if (registryId === null || (await isOwn(transaction, registryId, told))) {
        await processHook(transaction, told, clock.uuid())
      }
    })
  }
}

const OF_REGISTRY = { setup: 'SETUP', cleanup: 'CLEANUP', delete: 'DELETE' } as const

async function isOwn(
  transaction: pg.ClientBase,
  registryId: string,
  told: Values
): Promise<boolean> {
  const { namespace } = (told.event_data as { repository: { namespace: string } }).repository
  const { rowCount } = await transaction.query(
    'select 1 from registry_projects where registry_id = $1 and external_name = $2',
    [registryId, namespace]
  )
  return rowCount! > 0
}

async function required(transaction: pg.ClientBase, kind: Kind, id: string): Promise<Values> {
  const found = await new RecordStore(kind, corePool()).lock(transaction, id)
  if (!found) {
    throw new EntityNotFound(kind.label)
  }
  return found
}

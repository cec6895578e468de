import type pg from 'pg'

import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandTo } from '#bus/names'
import { writeCommand } from '#outbox/write'
import type { Attributes } from '#records/row'

export type RegistryCommand = 'SETUP' | 'CLEANUP' | 'DELETE'

/** Has something done with a whole registry, once the transaction is kept. */
export function commandRegistry(
  transaction: pg.ClientBase,
  type: RegistryCommand,
  id: string
): Promise<void> {
  return send(transaction, type, { id }, `registry/${id}`)
}

/** Has what a registry told looked at, once the transaction is kept. */
export function processHook(
  transaction: pg.ClientBase,
  told: Attributes,
  id: string
): Promise<void> {
  return send(transaction, 'HOOK_PROCESS', told, `registryHook/${id}`)
}

function send(transaction: pg.ClientBase, type: string, data: Attributes, orderedBy: string) {
  return writeCommand(
    transaction,
    newMessage(commandTo(COMMAND_QUEUES.registry), type, data),
    orderedBy
  )
}

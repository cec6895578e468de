import type pg from 'pg'

import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { publishCommand } from '#outbox/publish'
import type { Attributes } from '#records/row'

export type RegistryCommand = 'SETUP' | 'CLEANUP' | 'DELETE'

/** Has something done with a whole registry, once the transaction is kept. */
export function sendRegistryCommand(
  transaction: pg.ClientBase,
  type: RegistryCommand,
  id: string
): Promise<void> {
  return send(transaction, type, { id }, `registry/${id}`)
}

/** Has what a registry told looked at, once the transaction is kept. */
export function sendWebhookCommand(
  transaction: pg.ClientBase,
  event: Attributes,
  id: string
): Promise<void> {
  return send(transaction, 'HOOK_PROCESS', event, `registryHook/${id}`)
}

function send(transaction: pg.ClientBase, type: string, data: Attributes, orderedBy: string) {
  return publishCommand(
    transaction,
    newMessage(commandRouting(COMMAND_QUEUES.registry), type, data),
    orderedBy
  )
}

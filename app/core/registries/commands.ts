import type pg from 'pg'

import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { publishCommand } from '#outbox/publish'
import type { Attributes } from '#records/row'

export type RegistryCommand = 'SETUP' | 'CLEANUP' | 'DELETE'

/** Sends a command about a whole registry when the transaction commits. */
export function sendRegistryCommand(
  transaction: pg.ClientBase,
  type: RegistryCommand,
  id: string
): Promise<void> {
  return send(transaction, type, { id }, `registry/${id}`)
}

/** Sends a webhook event to the registry consumer when the transaction commits. */
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

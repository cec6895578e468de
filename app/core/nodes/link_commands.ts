import type pg from 'pg'

import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { publishCommand } from '#outbox/publish'
import type { RegistryProject } from '#core/registry_projects/registry_project'
import type { Attributes, Row } from '#records/row'

type Project = Row<typeof RegistryProject>

/** Has a registry get what belongs to a registry project, once the transaction is kept. */
export function sendLinkCommand(
  transaction: pg.ClientBase,
  { id }: Pick<Project, 'id'>
): Promise<void> {
  return send(transaction, 'PROJECT_LINK', { id })
}

/** Has a registry remove what belongs to a registry project, by the name it has there until now. */
export function sendUnlinkCommand(transaction: pg.ClientBase, project: Project): Promise<void> {
  const { id, registryId, externalName, accountId } = project
  return send(transaction, 'PROJECT_UNLINK', { id, registryId, externalName, accountId })
}

function send(transaction: pg.ClientBase, type: string, data: Attributes): Promise<void> {
  const command = newMessage(commandRouting(COMMAND_QUEUES.registry), type, data)
  return publishCommand(transaction, command, `registryProject/${String(data.id)}`)
}

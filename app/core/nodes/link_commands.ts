import type pg from 'pg'

import { newMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { publishCommand } from '#outbox/publish'
import type { RegistryProject } from '#core/registry_projects/registry_project'
import type { Attributes, Row } from '#records/row'

type Project = Row<typeof RegistryProject>

/** Sends a command to link a registry project when the transaction commits. */
export function sendLinkCommand(
  transaction: pg.ClientBase,
  { id }: Pick<Project, 'id'>
): Promise<void> {
  return send(transaction, 'PROJECT_LINK', { id })
}

/** Sends a command to unlink a registry project, by its present name. */
export function sendUnlinkCommand(transaction: pg.ClientBase, project: Project): Promise<void> {
  const { id, registryId, externalName, accountId } = project
  return send(transaction, 'PROJECT_UNLINK', { id, registryId, externalName, accountId })
}

function send(transaction: pg.ClientBase, type: string, data: Attributes): Promise<void> {
  const command = newMessage(commandRouting(COMMAND_QUEUES.registry), type, data)
  return publishCommand(transaction, command, `registryProject/${String(data.id)}`)
}

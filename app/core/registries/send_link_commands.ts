import type pg from 'pg'

import { sendLinkCommand } from '#core/nodes/link_commands'

/** Ends the pause of a registry and links all its projects, except those that were unlinked on request. */
export async function sendLinkCommands(
  transaction: pg.ClientBase,
  registryId: string
): Promise<void> {
  await resume(transaction, registryId)
  const { rows } = await transaction.query<{ id: string }>(
    `select id from registry_projects p where registry_id = $1 and not exists (
       select 1 from registry_links l where l.registry_id = p.registry_id
         and l.external_name = p.external_name and l.is_detached)
     order by created_at, id`,
    [registryId]
  )
  for (const project of rows) {
    await sendLinkCommand(transaction, project)
  }
}

async function resume(transaction: pg.ClientBase, registryId: string): Promise<void> {
  await transaction.query(
    'update registry_states set paused_until = null, refusals = 0 where registry_id = $1',
    [registryId]
  )
}

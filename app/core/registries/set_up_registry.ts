import type pg from 'pg'

import { generateExternalName, MASTER_PROJECT } from '#core/names/external_name'
import type { RegistryProject } from '#core/registry_projects/registry_project'
import type { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import type { Origin } from '#kernel/origin'
import type { Row } from '#records/row'

import { sendLinkCommands } from './send_link_commands.js'

type StandardProject = Pick<
  Row<typeof RegistryProject>,
  'name' | 'type' | 'public' | 'externalName'
>

/** The projects of each registry: for images from nodes, for images to nodes, and for master images. */
const standardProjects = (): StandardProject[] => [
  { name: 'incoming', type: 'incoming', public: false, externalName: generateExternalName() },
  { name: 'outgoing', type: 'outgoing', public: false, externalName: generateExternalName() },
  { name: MASTER_PROJECT, type: 'masterImages', public: true, externalName: MASTER_PROJECT },
]

/** Creates the missing standard projects of a registry and links all its projects. Existing projects stay unchanged. */
export async function setUpRegistry(
  projects: RegistryProjectService,
  transaction: pg.ClientBase,
  origin: Origin,
  registryId: string
): Promise<void> {
  if (!(await lockRegistry(transaction, registryId))) {
    return
  }
  for (const project of standardProjects()) {
    if (!(await isTaken(transaction, registryId, project))) {
      await projects.insertStandard(transaction, origin, { ...project, registryId })
    }
  }
  await cancelRemoval(transaction, registryId)
  await sendLinkCommands(transaction, registryId)
}

/** Setting up a registry cancels its removal. */
async function cancelRemoval(transaction: pg.ClientBase, registryId: string): Promise<void> {
  await transaction.query('delete from registry_states where registry_id = $1', [registryId])
  await transaction.query(
    'update registry_links set is_detached = false where registry_id = $1 and is_detached',
    [registryId]
  )
}

/** Serializes concurrent setups of a registry. */
async function lockRegistry(transaction: pg.ClientBase, registryId: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'select 1 from registries where id = $1 for no key update',
    [registryId]
  )
  return rowCount === 1
}

async function isTaken(
  transaction: pg.ClientBase,
  registryId: string,
  { name, externalName }: StandardProject
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'select 1 from registry_projects where registry_id = $1 and (name = $2 or external_name = $3)',
    [registryId, name, externalName]
  )
  return rowCount! > 0
}

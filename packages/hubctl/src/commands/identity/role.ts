import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { permissionsOfRole } from '#hubctl/kinds/permissions_of_role'
import { ROLES } from '#hubctl/kinds/record_collections'
import { grantCommands } from './grants.js'

export function roleCommand(): Command {
  const command = new Command('role')
    .description('manage the permissions of roles')
    .addCommand(
      new Command('permissions')
        .description('show the permissions of a role')
        .argument('<role>', 'its id or name')
        .action(perform(showPermissions))
    )
  grantCommands(ROLES).forEach((grant) => command.addCommand(grant))
  return command
}

async function showPermissions(invocation: Invocation, idOrName: string): Promise<void> {
  const api = await invocation.api()
  const { id } = await findRecord(api, ROLES, idOrName)
  const permissions = await permissionsOfRole(api, id)
  invocation.output.records(permissions, { kind: 'permission', columns: ['name', 'description'] })
}

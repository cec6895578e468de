import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { ROLES } from '#hubctl/kinds/places'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { grantCommands } from './grants.js'

export function roleCommand(): Command {
  const command = new Command('role')
    .description('decide what roles may do')
    .addCommand(
      new Command('permissions')
        .description('show what a role may do')
        .argument('<role>', 'its id or name')
        .action(perform(showPermissions))
    )
  grantCommands(ROLES).forEach((grant) => command.addCommand(grant))
  return command
}

interface RolePermission extends Fields {
  readonly permission: Fields & { readonly name: string }
}

async function showPermissions(invocation: Invocation, idOrName: string): Promise<void> {
  const api = await invocation.api()
  const { id } = await findRecord(api, ROLES, idOrName)
  const given = await allOf<RolePermission>(api, 'identity', '/role-permissions', {
    query: [
      ['filter[roleId]', id],
      ['include', 'permission'],
    ],
  })
  const permissions = given
    .map(({ permission }) => permission)
    .toSorted((one, other) => one.name.localeCompare(other.name))
  invocation.output.records(permissions, { kind: 'permission', columns: ['name', 'description'] })
}

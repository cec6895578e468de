import { Command } from 'commander'

import { CLIENTS } from '#hubctl/kinds/places'
import { activatingCommands } from './bearer.js'
import { grantCommands } from './grants.js'
import { resetting } from './reset.js'

export function clientCommand(): Command {
  const command = new Command('client')
    .description('look after programs at the embedded identity provider')
    .addCommand(resetting(CLIENTS, 'secret', 'its tokens end'))
  const more = [...activatingCommands(CLIENTS), ...grantCommands(CLIENTS)]
  more.forEach((one) => command.addCommand(one))
  return command
}

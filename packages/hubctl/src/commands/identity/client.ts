import { Command } from 'commander'

import { CLIENTS } from '#hubctl/kinds/record_collections'
import { activationCommands } from './activation.js'
import { grantCommands } from './grants.js'
import { resetCommand } from './reset.js'

export function clientCommand(): Command {
  const command = new Command('client')
    .description('manage clients of the embedded identity provider')
    .addCommand(resetCommand(CLIENTS, 'secret', 'its tokens end'))
  const more = [...activationCommands(CLIENTS), ...grantCommands(CLIENTS)]
  more.forEach((one) => command.addCommand(one))
  return command
}

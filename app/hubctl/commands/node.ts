import { Command } from 'commander'

import { NODES } from '#hubctl/kinds/places'
import { rotatingCredentials } from './rotate_credentials.js'

export function nodeCommand(): Command {
  return new Command('node')
    .description('look after the logins of nodes')
    .addCommand(rotatingCredentials(NODES))
}

import { Command } from 'commander'

import { NODES } from '#hubctl/kinds/record_collections'
import { rotateCredentialsCommand } from './rotate_credentials.js'

export function nodeCommand(): Command {
  return new Command('node')
    .description('manage the credentials of nodes')
    .addCommand(rotateCredentialsCommand(NODES))
}

import { Command } from 'commander'

import { NODES } from '#hubctl/kinds/record_collections'
import { nodePresenceCommand } from './node_presence.js'
import { rotateCredentialsCommand } from './rotate_credentials.js'

export function nodeCommand(): Command {
  return new Command('node')
    .description('show the presence of nodes, and manage their credentials')
    .addCommand(nodePresenceCommand())
    .addCommand(rotateCredentialsCommand(NODES))
}

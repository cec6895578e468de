import { Command } from 'commander'

import { perform } from '#hubctl/invocation'
import { wholeNumber } from '#hubctl/options'
import { joinHub } from './join.js'
import { newExample } from './new.js'
import { runExample } from './run.js'
import { showLogs } from './logs.js'
import { down, reset, showStatus } from './stop.js'
import { up } from './up.js'

const HELP = `
Two hospitals with synthetic data, an aggregator and a hub, on this machine
alone. The nodes run analyses in containers of bubblewrap (apt-get install
bubblewrap). A node of the sandbox is no node of a hospital: docs/sandbox.md.

Examples:
  hubctl sandbox up                      in one terminal; Ctrl-C ends everything
  hubctl sandbox run mean                in another one
  hubctl sandbox new study               a copy of an example, to begin with`

const JOIN_HELP = `
A new node needs a login at that hub that may create nodes, clients and realms.
Its realm has its name; its synthetic data are made from its name.

Examples:
  hubctl login --url https://hub.example.org --user admin
  hubctl sandbox join west --url https://hub.example.org
  hubctl sandbox join node.yaml          one that the hub has already`

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('run a hub with nodes on this machine, to try it and to develop analyses')
    .option('--folder <folder>', 'where its data is (default: .data/sandbox of the sources)')
    .addHelpText('after', HELP)
    .addCommand(
      withIsolation(new Command('up').description('start everything, until Ctrl-C'))
        .option('--port <port>', 'the port of the hub', wholeNumber, 3000)
        .option('--with-real-parts', 'take PostgreSQL, RabbitMQ, Redis and S3 from the environment')
        .action(perform(up))
    )
    .addCommand(
      new Command('run')
        .description('run an example, and compare its result with the expected one')
        .argument('<example>', 'the name of an example, or a folder')
        .option('--to <folder>', 'where to put the result')
        .action(perform(runExample))
    )
    .addCommand(
      new Command('new')
        .description('copy an example, to begin an analysis with')
        .argument('<name>', 'the folder to create')
        .option('--from <example>', 'the example to copy', 'mean')
        .action(perform(newExample))
    )
    .addCommand(new Command('status').description('show its parts').action(perform(showStatus)))
    .addCommand(
      new Command('logs')
        .description('show what its parts print')
        .argument('[part]', 'hub, north, south or center')
        .action(perform(showLogs))
    )
    .addCommand(new Command('down').description('end everything').action(perform(down)))
    .addCommand(
      new Command('reset').description('end everything, and delete its data').action(perform(reset))
    )
    .addCommand(
      withIsolation(
        new Command('join')
          .description('run a node at another hub (--url), until Ctrl-C')
          .argument('<node>', 'the name of a new node, or a settings file (docs/nodes.md)')
          .option('--aggregator', 'a new node without data')
          .option('--images <folder>', 'the folder of images of a hub without a registry')
          .addHelpText('after', JOIN_HELP)
      ).action(perform(joinHub))
    )
}

function withIsolation(command: Command): Command {
  return command.option(
    '--isolation <driver>',
    'bubblewrap or runc (default: runc where it works, as root, else bubblewrap)'
  )
}

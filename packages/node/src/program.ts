import { Command, Option } from 'commander'

import { ISOLATIONS, type Isolation } from '#node/containers/choose_driver'
import { readNodeSettings } from '#node/settings/node_settings'
import { startNode } from '#node/supervision/start_node'
import { Supervisor } from '#node/supervision/supervisor'
import { printLine } from './print_line.js'

interface RunOptions {
  readonly isolation?: Isolation
}

/** The command line of a node. */
export function hubNode(): Command {
  return new Command('hub-node')
    .description('Run the analyses that a hub distributes to a node')
    .addCommand(
      new Command('run')
        .description('start the node, until SIGTERM or Ctrl-C')
        .argument('<settings>', 'its settings file (docs/nodes.md)')
        .addOption(
          new Option('--isolation <driver>', 'how containers are run').choices([...ISOLATIONS])
        )
        .action(run)
    )
}

async function run(file: string, { isolation }: RunOptions): Promise<void> {
  const { hangSeconds } = await readNodeSettings(file)
  const supervisor = new Supervisor({
    start: () => startNode({ file, isolation }),
    hangSeconds,
    onLine: printLine,
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => supervisor.stop(signal))
  }
  process.exitCode = await supervisor.run()
}

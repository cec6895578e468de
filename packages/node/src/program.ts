import { Command, Option } from 'commander'

import { containerDriver, ISOLATIONS, type Isolation } from '#node/containers/choose_driver'
import { NodeProcess } from './node_process.js'
import { readNodeSettings } from '#node/settings/node_settings'
import { passTracesOn, startTracing, stopTracing } from '#tracing/tracing'

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
  const settings = await readNodeSettings(file)
  const containers = await containerDriver(
    isolation ?? settings.isolation ?? 'bubblewrap',
    settings.folder
  )
  await traceRuns()
  const node = await NodeProcess.start({ settings, containers, onLine: print })
  print(`The node ${node.name} is ready`)
  await interruption()
  print('The node ends')
  await node.stop()
  await stopTracing()
}

/** A node begins no traces. It continues those of the hub, and records its part if there is a collector. */
async function traceRuns(): Promise<void> {
  const endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  await startTracing({ endpoint, share: 0, serviceName: 'analysis-hub-node' })
  passTracesOn()
}

const interruption = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => resolve())
    }
  })

const print = (line: string): void => {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`)
}

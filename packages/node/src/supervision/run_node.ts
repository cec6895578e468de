import { containerDriver, type Isolation } from '#node/containers/choose_driver'
import { UNBOUNDED } from '#node/containers/container_driver'
import { NodeProcess } from '#node/node_process'
import { printLine } from '#node/print_line'
import { readNodeSettings } from '#node/settings/node_settings'
import { passTracesOn, startTracing, stopTracing } from '#tracing/tracing'

export interface NodeRequest {
  /** The settings file. */
  readonly file: string
  readonly isolation?: Isolation | undefined
}

/** Runs a node until a signal interrupts it. */
export async function runNode(
  { file, isolation }: NodeRequest,
  onReady: () => void
): Promise<void> {
  const settings = await readNodeSettings(file)
  const containers = await containerDriver(isolation ?? settings.isolation, settings.folder)
  printLine(`Containers are run by ${containers.name}`)
  containers.unbounded.forEach((what) => printLine(UNBOUNDED[what]))
  await traceRuns()
  const node = await NodeProcess.start({ settings, containers, onLine: printLine })
  onReady()
  printLine(`The node ${node.name} is ready`)
  await interruption()
  printLine('The node ends')
  await node.stop()
  await stopTracing()
}

/** A node starts no traces. It continues those of the hub, and records its spans if a collector is configured. */
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

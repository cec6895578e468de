/**
 * What traces cost a server, in its processor time for each read, which is the cheapest request: without a collector, with
 * 1 % of the traces recorded, and with all. Two servers that do the same differ by some per cent as long as they live, so
 * there are several of each setting. They are read in turn and briefly, so that what disturbs one disturbs all; the figure
 * is that of a setting's servers together, beside their extremes. `BENCH_ROUNDS` and `BENCH_SECONDS` say how often and how
 * long.
 */
import { TraceCollector } from '#tests/helpers/observability/trace_collector'
import { cpuMicroseconds, load } from './load.js'
import { measureHub } from './measured_hub.js'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 0.5)
const SERVERS_OF_EACH = 2
const CONNECTIONS = 8
/** The share of processor time that 1 % of the traces may take. */
const MOST_OF_ONE_PERCENT = 0.02

interface MeasuredServer {
  readonly setting: string
  readonly pid: number
  readonly url: string
  readonly token: string
  microseconds: number
  reads: number
}

const collector = await TraceCollector.start()
const recorded = (share: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_TRACES_SAMPLER_ARG: share,
})
const SETTINGS: Record<string, Record<string, string>> = {
  'off': {},
  '1 %': recorded('0.01'),
  'all': recorded('1'),
}
try {
  await withServers(Array.from({ length: SERVERS_OF_EACH }, () => Object.keys(SETTINGS)).flat())
} finally {
  collector.close()
}

/** Starts the servers one within the other, so that each ends with the work. */
async function withServers(
  [setting, ...others]: string[],
  started: readonly MeasuredServer[] = []
): Promise<void> {
  if (setting === undefined) {
    return measure(started)
  }
  await measureHub(SETTINGS[setting]!, async ({ hub, token }) => {
    const url = `${hub.origin}/core/nodes`
    const server = { setting, pid: hub.pid, url, token, microseconds: 0, reads: 0 }
    await withServers(others, [...started, server])
    return process.exitCode !== 1
  })
}

async function measure(servers: readonly MeasuredServer[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      await readFrom(server)
      if (round === 0) {
        // It warms up.
        Object.assign(server, { microseconds: 0, reads: 0 })
      }
    }
  }
  const off = costOf(servers, 'off')
  for (const setting of Object.keys(SETTINGS)) {
    const cost = costOf(servers, setting)
    const each = servers.filter((server) => server.setting === setting).map(perRead)
    const extremes = [Math.min(...each), Math.max(...each)]
      .map((one) => one.toFixed(1))
      .join(' to ')
    const ratio = (cost / off).toFixed(3)
    console.log(`${setting.padEnd(4)} ${cost.toFixed(1)} µs a read (${extremes}), ${ratio} of off`)
  }
  process.exitCode = costOf(servers, '1 %') / off - 1 <= MOST_OF_ONE_PERCENT ? 0 : 1
}

async function readFrom(server: MeasuredServer): Promise<void> {
  const { pid, url, token } = server
  const before = cpuMicroseconds(pid)
  server.reads += await load(url, { connections: CONNECTIONS, seconds: SECONDS, token })
  server.microseconds += cpuMicroseconds(pid) - before
}

function perRead({ microseconds, reads }: MeasuredServer): number {
  return microseconds / reads
}

function costOf(servers: readonly MeasuredServer[], setting: string): number {
  const costs = servers.filter((server) => server.setting === setting).map(perRead)
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length
}

/**
 * What traces cost a server, in its processor time for each read, which is the cheapest request: without a collector, with
 * 1 % of the traces recorded, and with all. Three servers are asked in turn, so that what disturbs one round disturbs all
 * three; the figure is the median of the rounds' ratios. `BENCH_ROUNDS` and `BENCH_SECONDS` say how often and how long.
 */
import { TraceCollector } from '#tests/helpers/observability/trace_collector'
import { cpuMicroseconds, load } from './load.js'
import { measureHub } from './measured_hub.js'
import { median } from './median.js'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const CONNECTIONS = 8
/** The share of processor time that 1 % of the traces may take. */
const MOST_OF_ONE_PERCENT = 0.02

interface MeasuredServer {
  readonly name: string
  readonly pid: number
  readonly url: string
  readonly token: string
  readonly costs: number[]
}

const collector = await TraceCollector.start()
const share = (part: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_TRACES_SAMPLER_ARG: part,
})
try {
  await withServers([
    ['off', {}],
    ['1 %', share('0.01')],
    ['all', share('1')],
  ])
} finally {
  collector.close()
}

/** Starts the servers one within the other, so that each ends with the work. */
async function withServers(
  [next, ...others]: [string, Record<string, string>][],
  started: readonly MeasuredServer[] = []
): Promise<void> {
  if (!next) {
    return measure(started)
  }
  const [name, variables] = next
  await measureHub(variables, async ({ hub, token }) => {
    const url = `${hub.origin}/core/nodes`
    await withServers(others, [...started, { name, pid: hub.pid, url, token, costs: [] }])
    return process.exitCode !== 1
  })
}

async function measure(servers: readonly MeasuredServer[]): Promise<void> {
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const cost = await costOf(server)
      // The first round warms up.
      if (round >= 0) {
        server.costs.push(cost)
      }
    }
  }
  const [off] = servers
  const ratios = servers.map(({ costs }) => median(costs.map((cost, n) => cost / off!.costs[n]!)))
  for (const [n, { name, costs }] of servers.entries()) {
    const ratio = ratios[n]!.toFixed(3)
    console.log(`${name.padEnd(4)} ${median(costs).toFixed(1)} µs a read, ${ratio} of off`)
  }
  process.exitCode = ratios[1]! - 1 <= MOST_OF_ONE_PERCENT ? 0 : 1
}

async function costOf({ pid, url, token }: MeasuredServer): Promise<number> {
  const before = cpuMicroseconds(pid)
  const requests = await load(url, { connections: CONNECTIONS, seconds: SECONDS, token })
  return (cpuMicroseconds(pid) - before) / requests
}

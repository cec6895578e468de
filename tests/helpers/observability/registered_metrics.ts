import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { join } from 'node:path'

import { collectProcessMetrics, metrics } from '#observability/metrics'
import { poolPages } from '#runtime/pool/pages'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Added by Prometheus (job, instance), by a pool (process), or by a histogram (le). */
const COMMON_LABELS = ['job', 'instance', 'process', 'le']

let registered: Promise<Map<string, ReadonlySet<string>>> | undefined

/** Every series of the program with its labels, from the registry after each module with a metric was imported. */
export const registeredMetrics = () => (registered ??= readRegistry())

async function readRegistry(): Promise<Map<string, ReadonlySet<string>>> {
  await importModulesWithMetrics()
  collectProcessMetrics()
  poolPages([], () => ({ started: false, requested: 0, completed: 0, failed: false }))
  const found = new Map<string, ReadonlySet<string>>([['up', new Set(COMMON_LABELS)]])
  for (const { name, type } of metrics.getMetricsAsArray()) {
    const { labelNames = [] } = metrics.getSingleMetric(name) as { labelNames?: string[] }
    const labels = new Set([...labelNames, ...COMMON_LABELS])
    const names = String(type) === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    names.forEach((suffix) => found.set(name + suffix, labels))
  }
  return found
}

async function importModulesWithMetrics(): Promise<void> {
  for await (const path of glob('{app,packages/*/src}/**/*.ts', { cwd: ROOT })) {
    const file = join(ROOT, path)
    if (/^import .* from 'prom-client'$/m.test(await readFile(file, 'utf8'))) {
      await import(pathToFileURL(file).href)
    }
  }
}

import { readFile } from 'node:fs/promises'

import { test } from '@japa/runner'

import {
  readAlertRules,
  readDashboardExpressions,
  readPanels,
} from '#tests/helpers/observability/monitoring_files'
import { registeredMetrics } from '#tests/helpers/observability/registered_metrics'
import { groupingsIn, selectorsIn } from '#tests/helpers/observability/selectors'

const RUNBOOK = new URL('../../../docs/runbook.md', import.meta.url)

test.group('Alerts and the dashboard', () => {
  test('select only series and labels that the program has', async ({ assert }) => {
    const rules = await readAlertRules()
    const expressions = [...rules.map(({ expr }) => expr), ...(await readDashboardExpressions())]
    const known = await registeredMetrics()
    assert.deepEqual(
      expressions.flatMap((expression) => problemsOf(expression, known)),
      []
    )
  })

  test('alerts show every metric of the program itself, in an alert or in a panel', async ({
    assert,
  }) => {
    const rules = await readAlertRules()
    const expressions = [...rules.map(({ expr }) => expr), ...(await readDashboardExpressions())]
    const shown = new Set(expressions.flatMap(selectorsIn).map(({ metric }) => metric))
    const own = [...(await registeredMetrics()).keys()].filter(
      (name) => !/^(nodejs|process)_|_sum$|_count$/.test(name)
    )
    assert.deepEqual(
      own.filter((name) => !shown.has(name)),
      []
    )
  })

  test('alerts have a section of the runbook for each alert, and an alert for each section', async ({
    assert,
  }) => {
    const rules = await readAlertRules()
    const sections = [...(await readFile(RUNBOOK, 'utf8')).matchAll(/^## (.+)$/gm)].map(
      ([, title]) => title!
    )
    assert.sameMembers(
      sections,
      rules.map(({ alert }) => alert)
    )
    for (const { alert, annotations, labels } of rules) {
      assert.equal(annotations.runbook, `docs/runbook.md#${alert.toLowerCase()}`)
      assert.include(['critical', 'warning'], labels.severity ?? '', alert)
      assert.isNotEmpty(annotations.summary ?? '', alert)
    }
  })

  test('alerts say in each section what the alert means, what to check and what to do', async ({
    assert,
  }) => {
    const [, ...sections] = (await readFile(RUNBOOK, 'utf8')).split(/^## /m)
    for (const section of sections) {
      const parts = [...section.matchAll(/^\*\*(Means\.|Look at|Do\.)\*\*/gm)].map(
        ([, part]) => part
      )
      assert.deepEqual(parts, ['Means.', 'Look at', 'Do.'], section)
    }
  })

  test('alerts have panels with titles of their own', async ({ assert }) => {
    const titles = (await readPanels()).map(({ title }) => title)
    assert.lengthOf(new Set(titles), titles.length)
  })
})

test.group('Selectors of an expression', () => {
  test('selectors are its metrics with their labels, and neither functions nor groupings', ({
    assert,
  }) => {
    const expression =
      'sum by (queue, le) (rate(bus_settled_total{outcome=~"dead|x{}", queue!="a"}[5m])) > 1e9 and up unless up offset 10m'
    assert.deepEqual(selectorsIn(expression), [
      { metric: 'bus_settled_total', labels: ['outcome', 'queue'] },
      { metric: 'up', labels: [] },
      { metric: 'up', labels: [] },
    ])
    assert.deepEqual(groupingsIn(expression), ['queue', 'le'])
  })
})

function problemsOf(expression: string, known: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const selectors = selectorsIn(expression)
  const unknown = selectors.flatMap(({ metric, labels }) => {
    const own = known.get(metric)
    return own === undefined
      ? [`no metric ${metric}`]
      : labels.filter((label) => !own.has(label)).map((label) => `${metric} has no ${label}`)
  })
  const groupings = groupingsIn(expression)
    .filter((label) => !selectors.some(({ metric }) => known.get(metric)?.has(label)))
    .map((label) => `nothing to group by ${label} in ${expression}`)
  return selectors.length === 0 ? [`no metric in ${expression}`] : [...unknown, ...groupings]
}

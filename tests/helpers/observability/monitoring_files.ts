import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { parse } from 'yaml'

/** The files for Prometheus and Grafana. */
export const MONITORING = fileURLToPath(new URL('../../../deploy/observability/', import.meta.url))

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export async function readAlertRules(): Promise<AlertRule[]> {
  const { groups } = parse(await readFile(`${MONITORING}alerts.yaml`, 'utf8')) as {
    groups: { rules: AlertRule[] }[]
  }
  return groups.flatMap(({ rules }) => rules)
}

interface Panel {
  readonly title: string
  readonly targets?: { expr: string }[]
}

export async function readPanels(): Promise<Panel[]> {
  const text = await readFile(`${MONITORING}dashboard.json`, 'utf8')
  return (JSON.parse(text) as { panels: Panel[] }).panels
}

/** The expressions of the dashboard, with its variables replaced by values. */
export async function readDashboardExpressions(): Promise<string[]> {
  const panels = await readPanels()
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'))
}

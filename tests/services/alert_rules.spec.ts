import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'
import { stringify } from 'yaml'

import { MONITORING, readDashboardExpressions } from '#tests/helpers/observability/monitoring_files'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)

test.group('The files for Prometheus', (group) => {
  group.setup(() => ensurePackages(PACKAGES.prometheus))

  test('are taken by it', async () => {
    await promtool('check', 'rules', `${MONITORING}alerts.yaml`)
    await promtool('check', 'config', `${MONITORING}prometheus.yaml`)
  })

  test('raise the alerts that their examples expect, and no other', async () => {
    await promtool('test', 'rules', `${MONITORING}alerts.test.yaml`)
  })

  test('include expressions of the dashboard that Prometheus can evaluate', async ({ cleanup }) => {
    const expressions = await readDashboardExpressions()
    const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
    const file = join(await temporaryFolder(cleanup), 'dashboard.yaml')
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules }] }))
    await promtool('check', 'rules', file)
  })
})

/** Rejects with what promtool says. */
async function promtool(...args: string[]): Promise<void> {
  await run('promtool', args).catch((error) => {
    throw new Error(`promtool ${args.join(' ')}:\n${error.stdout}${error.stderr}`, { cause: error })
  })
}

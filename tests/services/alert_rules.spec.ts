import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'
import { stringify } from 'yaml'

import { MONITORING, readDashboardExpressions } from '#tests/helpers/observability/monitoring_files'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)
const HANDBOOK = new URL('../../docs/deploying.md', import.meta.url)

test.group('The files for Prometheus', (group) => {
  group.setup(() => ensurePackages(PACKAGES.prometheus))

  test('the files are taken by it, as the handbook shows', async ({ assert }) => {
    const page = await readFile(HANDBOOK, 'utf8')
    for (const line of await promtool('check', 'config', `${MONITORING}prometheus.yaml`)) {
      assert.include(page, line.replace(MONITORING, '/etc/prometheus/').trimEnd())
    }
  })

  test('raise the alerts that their examples expect, and no other', async () => {
    await promtool('test', 'rules', `${MONITORING}alerts.test.yaml`)
  })

  test('the files include expressions of the dashboard that Prometheus can evaluate', async ({
    cleanup,
  }) => {
    const expressions = await readDashboardExpressions()
    const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
    const file = join(await temporaryFolder(cleanup), 'dashboard.yaml')
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules }] }))
    await promtool('check', 'rules', file)
  })
})

/** Resolves to the lines that promtool prints, and rejects with them if it found a problem. */
async function promtool(...args: string[]): Promise<string[]> {
  try {
    const { stdout } = await run('promtool', args)
    return stdout.split('\n')
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error })
  }
}

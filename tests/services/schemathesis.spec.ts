import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { callerAt } from '#tests/services/schemathesis/caller'
import { schemathesis } from '#tests/services/schemathesis/installation'
import { IN_BODIES, makeRecords } from '#tests/services/schemathesis/records'

const beside = (name: string) => fileURLToPath(new URL(`schemathesis/${name}`, import.meta.url))

const VARIABLES = {
  RATE_LIMIT_USER: '0',
  RATE_LIMIT_CLIENT: '0',
  CONNECTIONS_MAX: '0',
  CONNECTIONS_MAX_PER_ADDRESS: '0',
  NODE_OPTIONS: `--import=${beside('ascending_ids.mjs')}`,
}

const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful']

/** All are replaced by checks in the hooks, which know the exceptions. */
const REPLACED = [
  'not_a_server_error',
  'positive_data_acceptance',
  'negative_data_rejection',
  'missing_required_header',
  'unsupported_method',
  'use_after_free',
]

/** An answer without an end is no answer to compare. */
const ENDLESS: Record<string, string> = { messenger: 'messenger.streamMailbox' }

test.group('Generated requests', (group) => {
  let program: string

  group.setup(async () => {
    program = await schemathesis()
  })
  group.tap((one) => one.timeout(1_800_000))

  for (const surface of ['core', 'storage', 'telemetry', 'messenger', 'auth']) {
    test(`generated requests find nothing at ${surface}`, async ({ assert, cleanup }) => {
      const hub = await HubProcesses.start('server', { variables: VARIABLES })
      cleanup(() => hub.remove())
      const caller = await callerAt(hub.origin)
      const standing = await caller.standing()
      const lasting = await makeRecords(hub.origin, caller.token, 'lasting')
      const spare = await makeRecords(hub.origin, caller.token, 'spare')
      const records = { lasting, spare, kept: caller.kept, references: IN_BODIES }

      const { code, output } = await generate(hub, surface, caller.token, records)
      assert.equal(code, 0, output)
      assert.deepEqual(await caller.standing(), standing, 'The caller was stopped by its own calls')
    })
  }

  /** Runs in the folder of the hub, which takes what schemathesis remembers with it. */
  function generate(
    hub: HubProcesses,
    surface: string,
    token: string,
    records: object
  ): Promise<{ code: number; output: string }> {
    const base = `${hub.origin}/${surface}`
    const args = ['--config-file', beside('schemathesis.toml'), 'run']
    args.push(`${base}/docs/openapi.json`, '--url', base, '--seed', '7')
    args.push('--phases', PHASES.join(','), '--no-shrink', '--no-color')
    args.push('--checks', 'all', '--exclude-checks', REPLACED.join(','))
    args.push('--suppress-health-check', 'all', '--warnings', 'off', '--request-timeout', '20')
    args.push(...(ENDLESS[surface] ? ['--exclude-operation-id', ENDLESS[surface]] : []))
    args.push('--header', `Authorization: Bearer ${token}`)
    const env = {
      ...process.env,
      SCHEMATHESIS_HOOKS: beside('hooks.py'),
      HUB_RECORDS: JSON.stringify(records),
      PYTHONHASHSEED: '0',
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const options = { cwd: hub.folder, env, maxBuffer: 64 * 1024 * 1024 }
    return new Promise((done) => {
      execFile(program, args, options, (error, stdout, stderr) => {
        done({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr })
      })
    })
  }
})

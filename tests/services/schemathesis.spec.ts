import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { schemathesis } from '#tests/services/schemathesis/installation'

const HOOKS = fileURLToPath(new URL('schemathesis/hooks.py', import.meta.url))

const VARIABLES = {
  RATE_LIMIT_USER: '0',
  RATE_LIMIT_CLIENT: '0',
  CONNECTIONS_MAX: '0',
  CONNECTIONS_MAX_PER_ADDRESS: '0',
}

/** Both are replaced by checks of the same name in words, which know the exceptions. */
const REPLACED = ['positive_data_acceptance', 'negative_data_rejection']

test.group('Generated requests', (group) => {
  let hub: HubProcesses
  let token: string
  let program: string

  group.setup(async () => {
    program = await schemathesis()
    hub = await HubProcesses.start('server', { variables: VARIABLES })
    token = await logIn(hub.origin)
    return () => hub.remove()
  })
  group.tap((one) => one.timeout(300_000))

  test('find nothing at {$self}')
    .with(['core', 'storage', 'telemetry', 'messenger', 'auth'])
    .run(async ({ assert }, surface) => {
      const { code, output } = await generate(`${hub.origin}/${surface}`)
      assert.equal(code, 0, output)
    })

  /** Runs in the folder of the hub, which takes what schemathesis remembers with it. */
  function generate(base: string): Promise<{ code: number; output: string }> {
    const args = ['run', `${base}/docs/openapi.json`, '--url', base, '--seed', '7']
    args.push('--phases', 'fuzzing', '--max-examples', '8', '--no-shrink', '--no-color')
    args.push('--checks', 'all', '--exclude-checks', REPLACED.join(','))
    args.push('--suppress-health-check', 'all', '--warnings', 'off', '--request-timeout', '20')
    args.push('--header', `Authorization: Bearer ${token}`)
    const env = { ...process.env, SCHEMATHESIS_HOOKS: HOOKS, PYTHONDONTWRITEBYTECODE: '1' }
    const options = { cwd: hub.folder, env, maxBuffer: 64 * 1024 * 1024 }
    return new Promise((done) => {
      execFile(program, args, options, (error, stdout, stderr) => {
        done({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr })
      })
    })
  }
})

async function logIn(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: 'start123' }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

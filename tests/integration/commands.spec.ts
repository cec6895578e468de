import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { temporaryFolder } from '#tests/helpers/temporary_folder'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What a command prints on a machine where no database is known and none runs. */
function ace(dataDir: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, NODE_ENV: 'development', DATA_DIR: dataDir, NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['ace.js', ...args], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  })
  return { status, printed: stdout + stderr }
}

test.group('Commands without a database', () => {
  test('are listed and explained', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    const listed = ace(folder, 'list')
    assert.equal(listed.status, 0, listed.printed)
    assert.include(listed.printed, 'hub:migrate')
    assert.include(ace(folder, 'audit:verify', '--help').printed, 'fingerprint')
  }).timeout(60_000)

  test('say in a sentence that they need one', async ({ assert, cleanup }) => {
    const { status, printed } = ace(await temporaryFolder(cleanup), 'sweep:events')
    assert.equal(status, 1)
    assert.include(printed, 'The telemetry surface has no database')
    assert.notInclude(printed, '.ts:')
  }).timeout(60_000)
})

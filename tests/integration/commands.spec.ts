import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { emptyDatabase } from '#tests/helpers/database/empty_database'
import { eventually } from '#tests/helpers/eventually'
import { systemMajor, systemNode, systemPath } from '#tests/helpers/system_node'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { descendants, isAlive, procFile } from '#tests/services/servers/process_table'

const NEEDED_MAJOR = 24
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What a command prints on a machine where no database is known and none runs, unless a variable names one. */
function ace(dataDir: string, args: string[], variables: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, NODE_ENV: 'development', DATA_DIR: dataDir, ...variables }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['ace.js', ...args], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  return { status, printed: stdout + stderr }
}

test.group('Commands without a database', () => {
  test('commands are listed and explained', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    const listed = ace(folder, ['list'])
    assert.equal(listed.status, 0, listed.printed)
    assert.include(listed.printed, 'hub:migrate')
    assert.include(ace(folder, ['audit:verify', '--help']).printed, 'fingerprint')
  }).timeout(60_000)

  test('commands are explained without the arguments that they need', async ({
    assert,
    cleanup,
  }) => {
    const { status, printed } = ace(await temporaryFolder(cleanup), ['image:export', '--help'])
    assert.equal(status, 0, printed)
    assert.include(printed, 'docker load')
    assert.notInclude(printed, 'ERROR')
  }).timeout(60_000)

  test('commands say in a sentence that they need one', async ({ assert, cleanup }) => {
    const { status, printed } = ace(await temporaryFolder(cleanup), ['sweep:events'])
    assert.equal(status, 1)
    assert.include(printed, 'The telemetry surface has no database')
    assert.notInclude(printed, '.ts:')
  }).timeout(60_000)
})

test.group('Commands with a database that has no tables', () => {
  test('commands say what to do and end, without a word that only a terminal understands', async ({
    assert,
    cleanup,
  }) => {
    const database = await emptyDatabase()
    cleanup(() => database.stop())
    const folder = await temporaryFolder(cleanup)
    for (const command of ['audit:verify', 'sweep:messages']) {
      const { status, printed } = ace(folder, [command], { DATABASE_URL: database.url })
      assert.equal(status, 1, printed)
      assert.match(
        printed,
        /^\[ error \] The tables are not those of this version .*hub:migrate"\.$/m
      )
      assert.lengthOf(printed.trim().split('\n'), 1)
      assert.notInclude(printed, '\x1b')
    }
  }).timeout(120_000)
})

test.group('A command on another Node.js', () => {
  test('a command ends with the one that called for it', async ({ assert, cleanup }) => {
    const DATA_DIR = await temporaryFolder(cleanup)
    const wrapper = spawn(systemNode!, ['ace.js', 'user:password', 'admin'], {
      cwd: ROOT,
      env: { DATA_DIR, DATABASE_URL: 'postgres://127.0.0.1:9/none', PATH: systemPath },
      // Whose password it waits for there.
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    cleanup(() => void wrapper.kill('SIGKILL'))
    // Others, which it asks before, end by themselves.
    const isCommand = (pid: number) => procFile(pid, 'cmdline').includes('user:password')
    const child = await eventually(() => descendants(wrapper.pid!).find(isCommand), 60_000)
    wrapper.kill('SIGTERM')
    const [code] = await once(wrapper, 'exit')
    assert.equal(code, 128 + 15)
    assert.isFalse(isAlive(child))
  })
    .skip(!(systemMajor && systemMajor < NEEDED_MAJOR), 'there is no older Node.js on this machine')
    .timeout(120_000)
})

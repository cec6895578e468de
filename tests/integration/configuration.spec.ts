import { execFile, type ExecFileOptions } from 'node:child_process'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { test } from '@japa/runner'
import { applicationKey, BrokenKeyFileError } from '#configuration/application_key'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'

const run = promisify(execFile)
const GENERATE = resolve('bin/generate_docs.ts')

/** The address of one of our modules, as a script in another folder can import it. */
function fileUrl(module: string): string {
  return new URL(`../../${module}.js`, import.meta.url).href
}

async function evaluate(script: string, options: ExecFileOptions = {}): Promise<string> {
  const args = [RUN_TYPESCRIPT, '--input-type=module', '--eval', script]
  const { stdout } = await run(process.execPath, args, { ...options, encoding: 'utf8' })
  return stdout.trim()
}

test.group('Application key', () => {
  test('the key that was set is used as it is', ({ assert }) => {
    assert.equal(applicationKey({ APP_KEY: 'k'.repeat(32), DATA_DIR: '/nowhere' }), 'k'.repeat(32))
  })

  test('a random key is made once and readable by its owner only', async ({ assert, cleanup }) => {
    const settings = { APP_KEY: undefined, DATA_DIR: join(await temporaryFolder(cleanup), 'data') }
    const key = applicationKey(settings)
    assert.isAtLeast(key.length, 32)
    assert.equal(applicationKey(settings), key)
    const { mode } = await stat(join(settings.DATA_DIR, 'app.key'))
    assert.equal(mode & 0o777, 0o600)
  })

  test('processes that start together agree on one key', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    const script =
      `import { applicationKey } from '${fileUrl('packages/configuration/src/application_key')}';` +
      `console.log(applicationKey({ DATA_DIR: ${JSON.stringify(folder)} }))`
    const outputs = await Promise.all([1, 2, 3].map(() => evaluate(script)))
    assert.lengthOf(new Set(outputs), 1)
    assert.deepEqual(await readdir(folder), ['app.key'])
  }).timeout(20_000)

  test('a broken key file is refused instead of being replaced', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    await writeFile(join(folder, 'app.key'), 'short')
    assert.throws(
      () => applicationKey({ APP_KEY: undefined, DATA_DIR: folder }),
      BrokenKeyFileError
    )
  })
})

test.group('Connections of Lucid', () => {
  const script = `import config from '${fileUrl('config/database')}'
    console.log(Object.keys(config.connections).join(' '))`

  const connectionsWith = async (variables: Record<string, string>) => {
    const env = { ...process.env, SURFACES: 'core', ...variables }
    return (await evaluate(script, { env })).split(' ')
  }

  test('connections include the database of the embedded provider, whatever the process serves', async ({
    assert,
  }) => {
    const connections = await connectionsWith({})
    assert.includeMembers(connections, ['core', 'identity'])
    assert.notInclude(connections, 'storage')
  })

  test('connections do not include it with an external provider', async ({ assert }) => {
    const connections = await connectionsWith({ IDENTITY_URL: 'http://provider.test' })
    assert.include(connections, 'core')
    assert.notInclude(connections, 'identity')
  })
})

test.group('Configuration documents on disk', () => {
  test('the check fails on an outdated file and passes after it was written', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    await mkdir(join(folder, 'docs'))
    await mkdir(join(folder, 'packages/client/src'), { recursive: true })
    const generate = async (...flags: string[]): Promise<{ code: number; stderr: string }> => {
      const options = { cwd: folder, env: {} }
      const args = [RUN_TYPESCRIPT, GENERATE, ...flags]
      return run(process.execPath, args, options).then(
        ({ stderr }) => ({ code: 0, stderr }),
        ({ code, stderr }) => ({ code, stderr })
      )
    }

    const missing = await generate('--check')
    assert.equal(missing.code, 1)
    assert.include(missing.stderr, 'docs/configuration.md is out of date')

    await generate()
    assert.containSubset(await generate('--check'), { code: 0 })

    await writeFile(join(folder, '.env.example'), 'PORT=1')
    const changed = await generate('--check')
    assert.equal(changed.code, 1)
    assert.include(changed.stderr, '.env.example is out of date')
    assert.notInclude(changed.stderr, 'docs/configuration.md is')
  }).timeout(120_000)
})

test.group('Configuration at start', () => {
  test('a file .env adds what the environment does not set', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    await writeFile(join(folder, '.env'), 'PORT=4100\nLOG_LEVEL=debug\n')
    const script =
      `import { env, warnings } from '${fileUrl('start/env')}';` +
      'console.log(JSON.stringify([env.PORT, env.LOG_LEVEL, env.ADMIN_PORT, warnings]))'
    const stdout = await evaluate(script, {
      cwd: folder,
      env: { LOG_LEVEL: 'warn', REDIS_ULR: 'x' },
    })
    const [port, level, adminPort, warnings] = JSON.parse(stdout)
    assert.deepEqual([port, level, adminPort], [4100, 'warn', 4109])
    assert.match(warnings[0], /^REDIS_ULR/)
  }).timeout(20_000)
})

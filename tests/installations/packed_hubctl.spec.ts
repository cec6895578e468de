import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { VERSION } from '#kernel/version'
import { builtProgram } from '#tests/helpers/built_program'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const run = promisify(execFile)
const PACKAGE = resolve('packages/hubctl')
const LIMIT_MS = 200_000

/** What `npm pack` makes, unpacked where nothing else is but the dependencies that its package.json lists. */
async function installed(folder: string): Promise<string> {
  await builtProgram()
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: PACKAGE })
  const { version, dependencies } = JSON.parse(
    await readFile(join(PACKAGE, 'package.json'), 'utf8')
  ) as { version: string; dependencies: Record<string, string> }
  const target = join(folder, 'node_modules/hubctl')
  await mkdir(target, { recursive: true })
  const archive = join(folder, `hubctl-${version}.tgz`)
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', target])
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(resolve('node_modules', name), link)
  }
  return join(target, 'hubctl.js')
}

test('hubctl runs from its package, without the dependencies of the server', async ({
  assert,
  cleanup,
}) => {
  const folder = await temporaryFolder(cleanup)
  const hubctl = await installed(folder)
  const call = (...args: string[]) =>
    run(process.execPath, [hubctl, ...args], { cwd: folder, env: { HOME: folder } })
  assert.match((await call('--help')).stdout, /^Usage: hubctl/)
  assert.equal((await call('--version')).stdout, `${VERSION}\n`)
  assert.match((await call('image', 'import', '--help')).stdout, /--as <name>/)
  const failure = await call('get', 'nodes', '--url', 'http://127.0.0.1:1').catch(
    (error: { code: number; stderr: string }) => error
  )
  assert.containsSubset(failure, { code: 7 })
}).timeout(LIMIT_MS)

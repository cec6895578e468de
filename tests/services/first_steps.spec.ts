import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { outputBlocks, shellBlocks } from '#tests/helpers/shell_blocks'
import { shellArchive } from '#tests/helpers/worker/shell_archive'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The program runs already, and what comes from a registry somewhere else lies there. */
const DONE_BEFORE = [/^npm start .*$/m, /^skopeo copy docker:.*$/m]

/** The special characters of regular expressions. */
const SPECIAL = /[$()*+.?[\\\]^{|}]/g

test('what first steps shows works when it is typed, and prints what it shows', async ({
  assert,
  cleanup,
}) => {
  await ensurePackages(PACKAGES.imageTools)
  const hub = await HubProcesses.start('server')
  cleanup(() => hub.remove())
  for (const name of ['ace.js', 'bin', 'node_modules', 'package.json', 'packages']) {
    await symlink(join(ROOT, name), join(hub.folder, name))
  }
  await shellArchive(hub.folder)
  await writeFile(join(hub.folder, 'harbor.secret'), 'a secret of Harbor')
  const blocks = await shellBlocks('first-steps.md')
  const typed = DONE_BEFORE.reduce((script, line) => {
    assert.match(script, line)
    return script.replace(line, '')
  }, blocks.join('\n'))

  const script = typed
    .replaceAll('localhost:3000', new URL(hub.origin).host)
    // Where a person types it, it is asked for.
    .replace('--user admin', '--user admin --stdin <<<start123')
  const { code, output } = await type(script, hub.folder)
  assert.equal(code, 0, output)
  const shown = (await outputBlocks('first-steps.md'))
    .join('')
    .replaceAll('localhost:3000', new URL(hub.origin).host)
  const missing = shown
    .trimEnd()
    .split('\n')
    .filter((line) => !patternOf(line).test(output))
  assert.deepEqual(missing, [], output)
}).timeout(600_000)

/** A line as it is printed: `…` stands for anything, and columns may be wider. */
function patternOf(line: string): RegExp {
  const parts = line.trimEnd().split('…')
  const literals = parts.map((part) =>
    part.replaceAll(SPECIAL, String.raw`\$&`).replaceAll(/ +/g, ' +')
  )
  return new RegExp(`^${literals.join('.*')}`, 'm')
}

/** Runs lines in a shell, as somebody types them in a clone. It stops at the first that fails. */
async function type(script: string, folder: string) {
  const shell = spawn(
    'bash',
    ['-O', 'expand_aliases', '-euxo', 'pipefail', '-c', 'eval "$0"', script],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, NODE_ENV: 'development' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }
  )
  const [stdout, stderr, [code]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'close'),
  ])
  return { code, output: `${stdout}\n${stderr}` }
}

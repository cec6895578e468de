import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { Node } from '#core/nodes/node'
import { Registry } from '#core/registries/registry'
import { clock } from '#kernel/clock'
import { boot } from '#tests/helpers/application'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SECRET = 'Harbor12345'

/** Returns the output of the REPL for an input. */
async function answered(typed: string): Promise<string> {
  const repl = spawn(process.execPath, ['ace.js', 'repl'], { cwd: ROOT })
  let printed = ''
  repl.stdout.on('data', (chunk) => (printed += chunk))
  repl.stderr.on('data', (chunk) => (printed += chunk))
  repl.stdin.end(`${typed}\n.exit\n`)
  await once(repl, 'close')
  return printed
}

test.group('REPL', (group) => {
  group.setup(async () => void (await boot()))

  test('the prompt knows the models, and shows no secret of theirs', async ({ assert }) => {
    const name = `repl-${clock.uuid().slice(0, 8)}`
    const host = `${name}.test`
    const registry = await Registry.create({ name: `of ${name}`, host, accountSecret: SECRET })
    await Node.create({ name, realmId: clock.uuid(), registryId: registry.id })
    const printed = await answered(
      `await Node.query().where('name', '${name}').preload('registry')`
    )
    assert.include(printed, name)
    assert.include(printed, host)
    assert.notInclude(printed, SECRET)
  }).timeout(60_000)
})

import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { Machine } from './hubctl.js'
import { Terminal } from './terminal.js'

const MIB = 1024 ** 2
const ENTER = '\r'
const CTRL_C = '\u0003'

test.group('hubctl on a terminal', (group) => {
  let hub: HubProcesses
  let machine: Machine
  group.setup(async () => {
    hub = await HubProcesses.start('server')
    machine = await Machine.createRecord()
    await machine.login(hub.origin)
    return async () => {
      await hub.remove()
      await machine.remove()
    }
  })

  test('a password is requested, and not shown', async ({ assert }) => {
    const terminal = Terminal.open(machine, ['login', '--url', hub.origin, '--user', 'admin'])
    await terminal.until(/Password/)
    terminal.type(`start123${ENTER}`)
    const code = await terminal.end()

    assert.equal(code, 0, terminal.written)
    assert.notInclude(terminal.written, 'start123')
    assert.include(terminal.written, 'Logged in at')
  })

  test('a secret of a record is requested in the same way', async ({ assert }) => {
    const words = ['create', 'user', 'name=typed', 'password=@-']
    const terminal = Terminal.open(machine, words)
    await terminal.until(/Password/)
    terminal.type(`a-long-first-password${ENTER}`)
    const code = await terminal.end()

    assert.equal(code, 0, terminal.written)
    assert.notInclude(terminal.written, 'a-long-first-password')
  })

  test('an irreversible change needs confirmation, and Enter means no', async ({ assert }) => {
    await machine.must('create', 'project', 'name=kept')
    const prompt = Terminal.open(machine, ['delete', 'project', 'kept'])
    await prompt.until(/Delete the project kept\?/)
    prompt.type(ENTER)
    const answeredNo = await prompt.end()
    const remaining = Terminal.open(machine, ['delete', 'project', 'kept'])
    await remaining.until(/Delete the project kept\?/)
    remaining.type(CTRL_C)
    const interrupted = await remaining.end()
    const confirmed = Terminal.open(machine, ['delete', 'project', 'kept'])
    await confirmed.until(/Delete the project kept\?/)
    confirmed.type(`y${ENTER}`)

    assert.equal(answeredNo, 130)
    assert.equal(interrupted, 130)
    assert.include(prompt.written, 'Nothing was done')
    assert.equal(await confirmed.end(), 0)
  })

  test('a copy shows how far it is', async ({ assert }) => {
    await machine.must('create', 'bucket', 'name=results')
    await machine.write('large.bin', randomBytes(24 * MIB))
    const terminal = Terminal.open(machine, ['bucket', 'cp', 'large.bin', 'results:'])
    const code = await terminal.end()

    assert.equal(code, 0, terminal.written)
    assert.match(terminal.written, /large\.bin +[\d.]+ MiB of 24\.0 MiB/)
    assert.include(terminal.written, 'large.bin was copied to results:large.bin')
  })

  test('a file that is shown does not steer the terminal', async ({ assert }) => {
    await machine.must('create', 'bucket', 'name=hostile')
    await machine.write('steers.txt', 'one\u001B]0;title\u0007 \u009B2J\ntwo\n')
    await machine.must('bucket', 'cp', 'steers.txt', 'hostile:')
    const terminal = Terminal.open(machine, ['bucket', 'cat', 'hostile:steers.txt'])
    const code = await terminal.end()
    const piped = await machine.must('bucket', 'cat', 'hostile:steers.txt')

    assert.equal(code, 0)
    assert.include(terminal.written, 'two')
    for (const steering of ['\u001B', '\u0007', '\u009B']) {
      assert.notInclude(terminal.written, steering)
    }
    assert.include(piped, '\u001B]0;title\u0007')
  })

  test('sentences break between words, and tables are cut, at eighty columns', async ({
    assert,
  }) => {
    const name = `project-${'x'.repeat(100)}`
    await machine.must('create', 'project', `name=${name}`)
    const refused = Terminal.open(machine, ['get', 'nodes', '--url', 'http://localhost:7'])
    const table = Terminal.open(machine, ['get', 'projects', '--fields', 'id,name,createdAt'])
    const codes = [await refused.end(), await table.end()]

    assert.deepEqual(codes, [7, 0])
    assert.include(refused.written, '\u001B[31m')
    assert.match(table.lines.join('\n'), /project-x+…/)
    for (const line of [...refused.lines, ...table.lines]) {
      assert.isAtMost(line.length, 80, line)
    }
  })
})

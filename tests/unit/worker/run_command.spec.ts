import { test } from '@japa/runner'

import { runCommand } from '#worker/analysis_builder/run_command'

const ID = '6b1f0b5e-0000-4000-8000-000000000000'
const image = (fields: object = {}) => ({ id: ID, virtualPath: 'python/base', ...fields })
const analysis = (fields: object = {}) => ({ id: ID, ...fields })

test.group('The command of an analysis image', () => {
  test('consists of the command, arguments before the code, the code, and arguments after it', ({
    assert,
  }) => {
    const commandArguments = [
      { value: '--late', position: 'after' as const },
      { value: '-u' },
      { value: '-B', position: 'before' as const },
    ]
    assert.deepEqual(
      runCommand(image({ command: 'python3', commandArguments }), analysis(), 'lib/main.py'),
      ['python3', '-u', '-B', '/opt/code/lib/main.py', '--late']
    )
  })

  test('the command has the arguments of the analysis if it has any, even an empty list', ({
    assert,
  }) => {
    const master = image({ command: 'R', commandArguments: [{ value: '-f' }] })
    const own = analysis({ imageCommandArguments: [{ value: '--own', position: null }] })
    assert.deepEqual(runCommand(master, own, 'a.R'), ['R', '--own', '/opt/code/a.R'])
    assert.deepEqual(runCommand(master, analysis({ imageCommandArguments: [] }), 'a.R'), [
      'R',
      '/opt/code/a.R',
    ])
  })

  test('the command is not interpreted by a shell', ({ assert }) => {
    const hostile = ['"; rm -rf /', '$(id)', '`id`', "it's", 'a b', '\\', 'ünï']
    const commandArguments = hostile.map((value) => ({ value }))
    assert.deepEqual(
      runCommand(image({ command: 'python3 -m', commandArguments }), analysis(), '$x "y".py'),
      ['python3 -m', ...hostile, '/opt/code/$x "y".py']
    )
  })
})

import { test } from '@japa/runner'

import { boot } from '#tests/helpers/application'

async function run(...args: string[]) {
  const app = await boot()
  const ace = await app.container.make('ace')
  ace.ui.switchMode('raw')
  await ace.boot()
  const command = await ace.exec('bus:dead', args)
  const output = ace.ui.logger.getLogs().map(({ message }) => message)
  ace.ui.logger.flushLogs()
  return { said: output.join('\n'), exitCode: command.exitCode }
}

test.group('bus:dead', () => {
  test('reports that there are no dead letters', async ({ assert }) => {
    const { said: output, exitCode } = await run('list')
    assert.include(output, 'no dead letters')
    assert.equal(exitCode, 0)
  })

  test('rejects unknown queues, and lists the known ones', async ({ assert }) => {
    const action = await run('bury')
    assert.include(action.said, 'list, redrive, drop')
    assert.equal(action.exitCode, 1)
    const queue = await run('list', 'nowhere')
    assert.include(queue.said, 'no queue nowhere')
    assert.equal(queue.exitCode, 1)
    const which = await run('drop')
    assert.include(which.said, '--all')
    assert.equal(which.exitCode, 1)
  })
})

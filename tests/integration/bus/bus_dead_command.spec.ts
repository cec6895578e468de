import { test } from '@japa/runner'

import type { SecurityEvent } from '#audit/security_event'
import { storeDeadLetter } from '#bus/memory/memory_dead_letters'
import { newMessage, serializeMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { corePool } from '#core/database'
import { boot } from '#tests/helpers/application'
import { useSecuritySink } from '#tests/helpers/container'

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
  test('the command reports that there are no dead letters', async ({ assert }) => {
    const { said: output, exitCode } = await run('list')
    assert.include(output, 'no dead letters')
    assert.equal(exitCode, 0)
  })

  test('the command drops one, which the audit trail has without a person', async ({
    assert,
    cleanup,
  }) => {
    const recorded: SecurityEvent[] = []
    cleanup(useSecuritySink({ record: async (event) => void recorded.push(event) }))
    const queue = COMMAND_QUEUES.analysisMetadata
    const message = newMessage(commandRouting(queue), 'execute', {})
    const subscription = { queue, prefetch: 1, database: corePool() }
    await storeDeadLetter(subscription, serializeMessage(message), { reason: 'none', attempts: 8 })
    const { exitCode } = await run('drop', queue, '--all')

    assert.equal(exitCode, 0)
    assert.lengthOf(recorded, 1)
    const facts = { queue, letter: 'all' }
    assert.containSubset(recorded[0], { type: 'deadLetterDropped', realmId: null, facts })
    assert.isUndefined(recorded[0]!.origin.actor)
    assert.equal(recorded[0]!.origin.userAgent, 'node ace bus:dead')
  })

  test('the command rejects unknown queues, and lists the known ones', async ({ assert }) => {
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

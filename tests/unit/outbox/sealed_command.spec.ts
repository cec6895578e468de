import { test } from '@japa/runner'

import { newMessage, serializeMessage } from '#bus/message'
import { commandRouting, COMMAND_QUEUES } from '#bus/names'
import { unsealCommand, sealCommand, UnreadableCommand } from '#outbox/payloads/sealed_command'

const SECRET = 'nobody-sees-this'
const command = (data: Record<string, unknown>) =>
  newMessage(commandRouting(COMMAND_QUEUES.registry), 'PROJECT_LINK', data)

test.group('Pending commands', () => {
  const data = {
    id: 'x',
    secret: SECRET,
    registry: { host: 'harbor.example', accountSecret: SECRET, password: null },
    list: [{ name: 'one', clientSecret: SECRET }, { credentials: { user: 'u', secret: SECRET } }],
    last: 1,
  }

  test('commands contain no secret at any depth, and everything else', ({ assert }) => {
    const waiting = sealCommand(command(data))
    assert.notInclude(JSON.stringify(waiting), SECRET)
    assert.equal(waiting.command.data.id, 'x')
    assert.isString(waiting.secrets)
  })

  test('commands are sent exactly as they were published', ({ assert }) => {
    const message = command(data)
    const kept = JSON.parse(JSON.stringify(sealCommand(message)))
    assert.equal(
      serializeMessage(unsealCommand(kept)).toString(),
      serializeMessage(message).toString()
    )
  })

  test('without a secret are stored unchanged', ({ assert }) => {
    const message = command({ id: 'x', secret: null })
    assert.deepEqual(sealCommand(message), { command: message })
    assert.deepEqual(unsealCommand({ command: message }), message)
  })

  test('sealed with another key are not sent', ({ assert }) => {
    const waiting = sealCommand(command(data))
    assert.throws(() => unsealCommand({ ...waiting, secrets: 'hub.x.y.z' }), UnreadableCommand)
  })
})

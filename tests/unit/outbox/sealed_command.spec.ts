import { test } from '@japa/runner'

import { newMessage, serializeMessage } from '#bus/message'
import { commandRouting, COMMAND_QUEUES } from '#bus/names'
import { unsealCommand, sealCommand, UnreadableCommand } from '#outbox/payloads/sealed_command'

const SECRET = 'nobody-sees-this'
const command = (data: Record<string, unknown>) =>
  newMessage(commandRouting(COMMAND_QUEUES.registry), 'PROJECT_LINK', data)

test.group('Commands that wait', () => {
  const data = {
    id: 'x',
    secret: SECRET,
    registry: { host: 'harbor.example', accountSecret: SECRET, password: null },
    list: [{ name: 'one', clientSecret: SECRET }, { credentials: { user: 'u', secret: SECRET } }],
    last: 1,
  }

  test('show no secret, at no depth, and all else', ({ assert }) => {
    const waiting = sealCommand(command(data))
    assert.notInclude(JSON.stringify(waiting), SECRET)
    assert.equal(waiting.command.data.id, 'x')
    assert.isString(waiting.secrets)
  })

  test('leave as they were handed in, to the byte', ({ assert }) => {
    const message = command(data)
    const kept = JSON.parse(JSON.stringify(sealCommand(message)))
    assert.equal(
      serializeMessage(unsealCommand(kept)).toString(),
      serializeMessage(message).toString()
    )
  })

  test('without a secret are kept as they are', ({ assert }) => {
    const message = command({ id: 'x', secret: null })
    assert.deepEqual(sealCommand(message), { command: message })
    assert.deepEqual(unsealCommand({ command: message }), message)
  })

  test('that another key sealed are not sent without their secrets', ({ assert }) => {
    const waiting = sealCommand(command(data))
    assert.throws(() => unsealCommand({ ...waiting, secrets: 'hub.x.y.z' }), UnreadableCommand)
  })
})

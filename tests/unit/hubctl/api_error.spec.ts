import { test } from '@japa/runner'

import { Refused } from '#client/failures'
import { apiErrorOf } from '#hubctl/platform/api_error'

const errorOf = async (response: Response) => apiErrorOf(await Refused.from(response))

const refused = (envelope: object, status = 400) =>
  errorOf(new Response(JSON.stringify(envelope), { status }))

test.group('A refusal of the platform', () => {
  test('a refusal is printed once, where one thing is wrong', async ({ assert }) => {
    const message = 'The name field must have at least 3 characters.'
    const { advice, ...refusal } = await refused({
      message: `Property name is invalid: ${message}`,
      issues: [{ code: 'value_invalid', path: ['name'], message }],
    })
    assert.include(refusal, { exitCode: 6 })
    assert.deepEqual(advice, [])
  })

  test('a refusal names each of several things, with where it is', async ({ assert }) => {
    const { advice } = await refused({
      message: 'Properties name, type are invalid',
      issues: [
        { code: 'value_invalid', path: ['name'], message: 'It is too short' },
        { code: 'group', issues: [{ code: 'one_of', path: ['type'], message: 'It is no type' }] },
      ],
    })
    assert.deepEqual(advice, ['name: It is too short', 'type: It is no type'])
  })

  test('a refusal says that a name is in use', async ({ assert }) => {
    const { message, advice } = await refused(
      {
        message: 'There is a record with this name and realmId already',
        issues: [{ code: 'value_exists', path: ['name', 'realmId'], message: 'There is one' }],
      },
      409
    )
    assert.equal(message, 'The name is taken: another record of its realm has it already.')
    assert.deepEqual(advice, [])
  })

  test('a refusal of a fault names the command by which an operator finds it', async ({
    assert,
  }) => {
    const headers = { 'x-request-id': '5f0c6c1e' }
    const { advice } = await errorOf(new Response('{}', { status: 500, headers }))
    assert.include(advice, 'An operator sees what happened: hubctl trace 5f0c6c1e')
    const behindProxy = await errorOf(new Response('', { status: 502 }))
    assert.notInclude(behindProxy.advice.join(), 'trace')
  })

  test('a refusal names the commands of hubctl, and steers no terminal', async ({ assert }) => {
    const { message } = await refused({
      message: 'Unlock it with the command configurationUnlock\u001B[2J\u009B',
    })
    assert.equal(message, 'Unlock it with hubctl analysis unlock\uFFFD[2J\uFFFD.')
  })
})

import { errors } from '@vinejs/vine'
import { test } from '@japa/runner'

import { bodyFailure } from '#kernel/body_issues'
import { probeBody } from '#tests/helpers/http/probe_routes'

async function rejected(sent: unknown) {
  try {
    await probeBody.validate(sent)
  } catch (error) {
    if (error instanceof errors.E_VALIDATION_ERROR) {
      return bodyFailure(error)
    }
    throw error
  }
  throw new Error('The body was accepted')
}

test.group('Body validation', () => {
  test('a valid body is accepted and unknown attributes are dropped', async ({ assert }) => {
    const sent = { name: 'abc', hidden: true, publicKey: null, display_name: 'x', ['__proto__']: 1 }
    assert.deepEqual(await probeBody.validate(sent), {
      name: 'abc',
      hidden: true,
      publicKey: null,
    } as never)
  })

  test('each rejected attribute is one issue')
    .with([
      { sent: {}, issue: { code: 'required', path: ['name'] } },
      { sent: { name: null }, issue: { code: 'value_invalid', path: ['name'] } },
      { sent: { name: 7 }, issue: { code: 'value_invalid', path: ['name'], expected: 'string' } },
      { sent: { name: '' }, issue: { code: 'min_length', path: ['name'], data: { min: 3 } } },
      { sent: { name: 'ab' }, issue: { code: 'min_length', path: ['name'], data: { min: 3 } } },
      {
        sent: { name: 'abcdefghi' },
        issue: { code: 'max_length', path: ['name'], data: { max: 8 } },
      },
      {
        sent: { name: 'abc', type: 'weird' },
        issue: { code: 'one_of_failed', path: ['type'], meta: { optional: true } },
      },
      { sent: { name: 'abc', type: null }, issue: { code: 'value_invalid', path: ['type'] } },
      {
        sent: { name: 'abc', hidden: 'true' },
        issue: { code: 'value_invalid', path: ['hidden'], expected: 'boolean' },
      },
      { sent: { name: 'abc', hidden: null }, issue: { code: 'value_invalid', path: ['hidden'] } },
      {
        sent: { name: 'abc', publicKey: 12 },
        issue: { code: 'value_invalid', path: ['publicKey'], expected: 'string' },
      },
      {
        sent: { name: 'abc', externalName: 'BAD NAME' },
        issue: { code: 'pattern', path: ['externalName'], data: { pattern: '/^[a-z0-9]+$/' } },
      },
      {
        sent: { name: 'abc', count: '3' },
        issue: { code: 'value_invalid', path: ['count'], expected: 'number' },
      },
      {
        sent: { name: 'abc', count: 0 },
        issue: { code: 'min_value', path: ['count'], data: { min: 1 } },
      },
      {
        sent: { name: 'abc', count: 9 },
        issue: { code: 'max_value', path: ['count'], data: { max: 5 } },
      },
      { sent: { name: 'abc', realmId: 'x' }, issue: { code: 'uuid', path: ['realmId'] } },
      {
        sent: { name: 'abc', arguments: [{}] },
        issue: { code: 'required', path: ['arguments', 'value'] },
      },
      {
        sent: { name: 'abc', arguments: {} },
        issue: { code: 'value_invalid', path: ['arguments'], expected: 'array' },
      },
    ])
    .run(async ({ assert }, { sent, issue }) => {
      const failure = await rejected(sent)
      assert.equal(failure.status, 400)
      assert.lengthOf(failure.issues, 1)
      assert.containsSubset(failure.issues[0]!, { type: 'item', ...issue })
      assert.property(failure.issues[0], 'meta')
      assert.equal(
        failure.message,
        `Property ${issue.path.join('.')} is invalid: ${failure.issues[0]!.message}`
      )
    })

  test('a value that is not an object is rejected as a whole')
    .with([null, 'text', 7, [], [{ name: 'abc' }]])
    .run(async ({ assert }, sent) => {
      const failure = await rejected(sent)
      assert.equal(failure.message, 'The body must be a JSON object')
      assert.lengthOf(failure.issues, 1)
      assert.containsSubset(failure.issues[0], { code: 'value_invalid', path: [] })
    })

  test('several rejected attributes are all named', async ({ assert }) => {
    const failure = await rejected({ name: 'abc', type: 'weird', hidden: 'maybe', publicKey: 12 })
    assert.deepEqual(
      failure.issues.map(({ path }) => path),
      [['type'], ['hidden'], ['publicKey']]
    )
    assert.equal(failure.message, 'Properties type, hidden, publicKey are invalid.')
  })
})

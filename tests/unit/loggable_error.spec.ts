import { test } from '@japa/runner'
import pg from 'pg'

import { loggableError } from '#observability/loggable_error'

test.group('Errors in the log', () => {
  test('logged errors tell where they arose and what caused them', ({ assert }) => {
    const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' })
    const shown = loggableError(new TypeError('no answer', { cause }))
    assert.containsSubset(shown, { type: 'TypeError', message: 'no answer' })
    assert.containsSubset(shown.cause!, { message: 'connect refused', code: 'ECONNREFUSED' })
    assert.include(shown.stack, 'loggable_error.spec')
  })

  test('logged errors keep the values of a row and whatever else hangs on them to themselves', ({
    assert,
  }) => {
    const error = Object.assign(new pg.DatabaseError('null value', 0, 'error'), {
      code: '23502',
      column: 'name',
      detail: 'Failing row contains (secret-1)',
      client: { secretKey: 'secret-2' },
    })
    const shown = JSON.stringify(loggableError(error))
    assert.include(shown, '23502')
    assert.include(shown, '"column":"name"')
    assert.notMatch(shown, /secret-/)
  })

  test('logged errors end where causes lead in a circle', ({ assert }) => {
    const error = new Error('round')
    error.cause = error
    assert.doesNotThrow(() => JSON.stringify(loggableError(error)))
  })
})

import { test } from '@japa/runner'

import { enforce, requires, requiresAny } from '#kernel/access'
import { identity } from '#tests/helpers/identities'

const { actor } = identity({ permissions: [] })

test.group('Access | what a refusal says', () => {
  test('permissions that are all needed are joined by and', ({ assert }) => {
    assert.throws(
      () => enforce(requires('node_create', 'node_update'), actor),
      'This requires node_create and node_update'
    )
  })

  test('permissions of which one suffices are joined by or', ({ assert }) => {
    assert.throws(
      () => enforce(requiresAny('event_read', 'event_delete'), actor),
      'This requires event_read or event_delete'
    )
  })
})

import { test } from '@japa/runner'

import { olderThanFloor } from '#node/containers/bubblewrap/version_floor'

test.group('The oldest Bubblewrap that a node takes', () => {
  test('{printed} is new enough')
    .with([
      { printed: 'bubblewrap 0.8.0\n' },
      { printed: 'bubblewrap 0.8.1' },
      { printed: 'bubblewrap 0.11.0' },
      { printed: 'bubblewrap 1.0' },
    ])
    .run(({ assert }, { printed }) => {
      assert.isUndefined(olderThanFloor(printed))
    })

  test('{printed} is too old')
    .with([
      { printed: 'bubblewrap 0.7.9' },
      { printed: 'bubblewrap 0.6.1' },
      { printed: 'nothing' },
    ])
    .run(({ assert }, { printed }) => {
      assert.match(olderThanFloor(printed)!, /too old: a node needs 0\.8\.0/)
    })
})

import { test } from '@japa/runner'

import { readPullQuery } from '#messenger/messages/pull_query'

test.group('The query of a mailbox', () => {
  test('the query is bounded, and falls back to the defaults if invalid: {query}')
    .with([
      { query: '', limit: 50, waitMs: 0 },
      { query: 'limit=7&wait=1500', limit: 7, waitMs: 1_500 },
      { query: 'limit=100&wait=30000', limit: 100, waitMs: 30_000 },
      { query: 'limit=101&wait=30001', limit: 100, waitMs: 30_000 },
      { query: 'limit=1e9&wait=Infinity', limit: 100, waitMs: 30_000 },
      { query: 'limit=2.9&wait=2.9', limit: 2, waitMs: 2 },
      { query: 'limit=0.9&wait=0.9', limit: 50, waitMs: 0 },
      { query: 'limit=0&wait=-1', limit: 50, waitMs: 0 },
      { query: 'limit=&wait=', limit: 50, waitMs: 0 },
      { query: 'limit=x&wait=soon', limit: 50, waitMs: 0 },
      { query: 'limit=3&limit=4&page[limit]=5', limit: 3, waitMs: 0 },
    ])
    .run(({ assert }, { query, ...expected }) => {
      assert.deepEqual(readPullQuery(query), expected)
    })
})

import { test } from '@japa/runner'
import pg from 'pg'

import { plainArray, textArray } from '#database/array_parameters'

test.group('Arrays as parameters', () => {
  test('texts arrive as they are', async ({ assert, cleanup }) => {
    const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 })
    cleanup(() => pool.end())
    const texts = ['', null, 'null', '{"a":"\\\\\\"",,}', ' blank ', 'äöü € 🜚', 'x'.repeat(70_000)]
    const { rows } = await pool.query('select $1::text[] as texts', [textArray(texts)])
    assert.deepEqual(rows[0].texts, texts)
    const none = await pool.query('select $1::text[] as texts', [textArray([])])
    assert.deepEqual(none.rows[0].texts, [])
  })

  test('so do numbers and ids', async ({ assert, cleanup }) => {
    const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 })
    cleanup(() => pool.end())
    const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
    const { rows } = await pool.query('select $1::integer[] as numbers, $2::uuid[] as ids', [
      plainArray([1, -2]),
      plainArray(ids),
    ])
    assert.deepEqual(rows[0], { numbers: [1, -2], ids })
  })
})

import { test } from '@japa/runner'
import pg from 'pg'

import { GroupCommit } from '#records/group_commit'
import { emptyDatabase } from '#tests/helpers/database/empty_database'

type Database = Awaited<ReturnType<typeof emptyDatabase>>

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number)

test.group('Writes that share a transaction', (group) => {
  let database: Database
  let sets: number[]
  let writes: GroupCommit<number, string>

  group.each.setup(async () => {
    database = await emptyDatabase()
    await database.pool.query('create table numbers (number integer check (number >= 0))')
    sets = []
    writes = new GroupCommit(database.pool, async (transaction, numbers) => {
      sets.push(numbers.length)
      await transaction.query('insert into numbers select unnest($1::int[])', [numbers])
      return numbers.map((number) => `wrote ${number}`)
    })
    return () => database.stop()
  })

  const written = async () => {
    const { rows } = await database.pool.query('select number from numbers order by number')
    return rows.map(({ number }) => number)
  }

  test('callers share transactions and get their own results', async ({ assert }) => {
    const answers = await Promise.all(upTo(200).map((number) => writes.add(number)))
    assert.deepEqual(
      answers,
      upTo(200).map((number) => `wrote ${number}`)
    )
    assert.deepEqual(await written(), upTo(200))
    assert.isBelow(sets.length, 20)
  })

  test('results are returned after the commit', async ({ assert }) => {
    const seen = await Promise.all(
      upTo(20).map(async (number) => {
        await writes.add(number)
        return (await written()).includes(number)
      })
    )
    assert.isTrue(seen.every(Boolean))
  })

  test('a failing item fails no other', async ({ assert }) => {
    const numbers = upTo(40).with(13, -1)
    const answers = await Promise.allSettled(numbers.map((number) => writes.add(number)))
    const refused = answers.filter(({ status }) => status === 'rejected')
    assert.lengthOf(refused, 1)
    assert.equal(answers[13]!.status, 'rejected')
    assert.deepEqual(
      await written(),
      upTo(40).filter((number) => number !== 13)
    )
    assert.equal(await writes.add(40), 'wrote 40')
  })

  test('all fail at once while the database is unavailable', async ({ assert }) => {
    const away = new pg.Pool({ connectionString: 'postgres://127.0.0.1:9/none' })
    const stopped = new GroupCommit(away, async () => [])
    const answers = await Promise.allSettled(upTo(10).map((number) => stopped.add(number)))
    assert.isTrue(answers.every(({ status }) => status === 'rejected'))
    await away.end()
  })
})

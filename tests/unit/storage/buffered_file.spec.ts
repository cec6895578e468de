import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { BufferedFile, BufferBudget } from '#storage/uploads/buffered_file'
import { chunksOf, digest, failureOf } from '#tests/helpers/storage/object_store_suite'

const MIB = 1024 ** 2

test.group('Gathered bytes', () => {
  test('a small file is there as a whole, with its digest, and gives its memory back', async ({
    assert,
  }) => {
    const content = randomBytes(100_000)
    const room = new BufferBudget(content.length)
    const gathered = await BufferedFile.from(chunksOf(content), room)
    assert.isTrue(gathered.isWhole)
    assert.equal(gathered.size, content.length)
    assert.equal(gathered.digest(), digest(content))
    assert.isTrue(content.equals(await buffer(gathered.all())))
    assert.isFalse(room.tryAcquire(1))
    gathered.release()
    gathered.release()
    assert.isTrue(room.tryAcquire(content.length))
    assert.isFalse(room.tryAcquire(1))
  })

  test('a file without bytes is whole', async ({ assert }) => {
    const gathered = await BufferedFile.from(chunksOf(Buffer.alloc(0)), new BufferBudget(0))
    assert.isTrue(gathered.isWhole)
    assert.equal(gathered.digest(), digest(Buffer.alloc(0)))
  })

  test('the beginning of a large file is gathered, and all of it is passed on')
    .with([[MIB], [100_000], [0]])
    .run(async ({ assert }, [memory]) => {
      const content = randomBytes(MIB)
      const room = new BufferBudget(memory!)
      const gathered = await BufferedFile.from(chunksOf(content), room)
      assert.isFalse(gathered.isWhole)
      assert.isTrue(content.equals(await buffer(gathered.all())))
      assert.isTrue(room.tryAcquire(memory!))
    })

  test('an upload that breaks off releases its memory', async ({ assert }) => {
    async function* broken() {
      yield Buffer.alloc(1_000)
      throw new Error('The client is gone')
    }
    const room = new BufferBudget(1_000)
    const failure = await failureOf(BufferedFile.from(broken(), room))
    assert.equal(failure?.message, 'The client is gone')
    assert.isTrue(room.tryAcquire(1_000))
  })
})

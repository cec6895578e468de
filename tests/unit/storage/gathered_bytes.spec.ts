import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { GatheredBytes, GatheringRoom } from '#storage/uploads/gathered_bytes'
import { chunksOf, digest, failureOf } from '#tests/helpers/object_store_suite'

const MIB = 1024 ** 2

test.group('Gathered bytes', () => {
  test('a small file is there as a whole, with its digest, and gives its memory back', async ({
    assert,
  }) => {
    const content = randomBytes(100_000)
    const room = new GatheringRoom(content.length)
    const gathered = await GatheredBytes.from(chunksOf(content), room)
    assert.isTrue(gathered.isWhole)
    assert.equal(gathered.size, content.length)
    assert.equal(gathered.digest(), digest(content))
    assert.isTrue(content.equals(await buffer(gathered.all())))
    assert.isFalse(room.tryTake(1))
    gathered.free()
    gathered.free()
    assert.isTrue(room.tryTake(content.length))
    assert.isFalse(room.tryTake(1))
  })

  test('a file without bytes is whole', async ({ assert }) => {
    const gathered = await GatheredBytes.from(chunksOf(Buffer.alloc(0)), new GatheringRoom(0))
    assert.isTrue(gathered.isWhole)
    assert.equal(gathered.digest(), digest(Buffer.alloc(0)))
  })

  test('of a large file the beginning is gathered, and all of it is passed on')
    .with([[MIB], [100_000], [0]])
    .run(async ({ assert }, [memory]) => {
      const content = randomBytes(MIB)
      const room = new GatheringRoom(memory!)
      const gathered = await GatheredBytes.from(chunksOf(content), room)
      assert.isFalse(gathered.isWhole)
      assert.isTrue(content.equals(await buffer(gathered.all())))
      assert.isTrue(room.tryTake(memory!))
    })

  test('one that breaks off leaves no memory taken', async ({ assert }) => {
    async function* broken() {
      yield Buffer.alloc(1_000)
      throw new Error('The client is gone')
    }
    const room = new GatheringRoom(1_000)
    const failure = await failureOf(GatheredBytes.from(broken(), room))
    assert.equal(failure?.message, 'The client is gone')
    assert.isTrue(room.tryTake(1_000))
  })
})

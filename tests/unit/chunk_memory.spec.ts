import { test } from '@japa/runner'

import {
  markReleasable,
  markAllReleasable,
  releaseChunk,
  releaseChunks,
} from '#kernel/chunk_memory'

const KIB = 1024

test.group('Chunk memory', () => {
  test('the memory of a marked chunk is released', ({ assert }) => {
    const chunk = markReleasable(Buffer.alloc(64 * KIB))

    releaseChunk(chunk)

    assert.equal(chunk.byteLength, 0)
    assert.isTrue((chunk.buffer as ArrayBuffer).detached)
  })

  test('an unmarked chunk stays', ({ assert }) => {
    const chunk = Buffer.alloc(64 * KIB, 'a')

    releaseChunk(chunk)

    assert.equal(chunk.byteLength, 64 * KIB)
  })

  test('a chunk that shares its buffer stays', ({ assert }) => {
    const memory = Buffer.alloc(128 * KIB, 'a')
    const part = markReleasable(memory.subarray(0, 64 * KIB))
    releaseChunk(part)
    markReleasable(memory)
    releaseChunk(part)

    assert.equal(memory.toString('latin1', 127 * KIB), 'a'.repeat(KIB))
    assert.equal(part.byteLength, 64 * KIB)
  })

  test('a chunk can be released twice', ({ assert }) => {
    const chunk = markReleasable(Buffer.alloc(64 * KIB))
    releaseChunk(chunk)

    assert.doesNotThrow(() => releaseChunk(chunk))
  })

  test('chunks of one buffer are released together only', ({ assert }) => {
    const memory = Buffer.alloc(64 * KIB, 'a')
    const pieces = [memory.subarray(0, 60 * KIB), memory.subarray(60 * KIB)]
    markAllReleasable(pieces)
    releaseChunk(pieces[1]!)
    assert.equal(pieces[1]!.toString(), 'a'.repeat(4 * KIB))

    releaseChunks(pieces)

    assert.isTrue((memory.buffer as ArrayBuffer).detached)
    assert.doesNotThrow(() => releaseChunks(pieces))
  })
})

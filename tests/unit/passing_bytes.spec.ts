import { test } from '@japa/runner'

import { passOn, passOnTogether, spend, spendTogether } from '#kernel/passing_bytes'

const KIB = 1024

test.group('Passing bytes', () => {
  test('the memory of a chunk that was passed on is given back', ({ assert }) => {
    const chunk = passOn(Buffer.alloc(64 * KIB))

    spend(chunk)

    assert.equal(chunk.byteLength, 0)
    assert.isTrue((chunk.buffer as ArrayBuffer).detached)
  })

  test('a chunk that nobody passed on stays', ({ assert }) => {
    const chunk = Buffer.alloc(64 * KIB, 'a')

    spend(chunk)

    assert.equal(chunk.byteLength, 64 * KIB)
  })

  test('what is only a part of a piece of memory stays, as does the rest of it', ({ assert }) => {
    const memory = Buffer.alloc(128 * KIB, 'a')
    const part = passOn(memory.subarray(0, 64 * KIB))
    spend(part)
    passOn(memory)
    spend(part)

    assert.equal(memory.toString('latin1', 127 * KIB), 'a'.repeat(KIB))
    assert.equal(part.byteLength, 64 * KIB)
  })

  test('a chunk can be spent twice', ({ assert }) => {
    const chunk = passOn(Buffer.alloc(64 * KIB))
    spend(chunk)

    assert.doesNotThrow(() => spend(chunk))
  })

  test('pieces of one buffer are given back together, and not one by one', ({ assert }) => {
    const memory = Buffer.alloc(64 * KIB, 'a')
    const pieces = [memory.subarray(0, 60 * KIB), memory.subarray(60 * KIB)]
    passOnTogether(pieces)
    spend(pieces[1]!)
    assert.equal(pieces[1]!.toString(), 'a'.repeat(4 * KIB))

    spendTogether(pieces)

    assert.isTrue((memory.buffer as ArrayBuffer).detached)
    assert.doesNotThrow(() => spendTogether(pieces))
  })
})

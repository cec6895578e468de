import { createHash, randomBytes, randomInt } from 'node:crypto'
import { Readable } from 'node:stream'

import { test } from '@japa/runner'

import { digestOf, SavedDigest } from '#storage/resumable/saved_digest'

const content = randomBytes(300_000)
const expected = createHash('sha256').update(content).digest('hex')

test.group('The digest of an upload', () => {
  test('the digest resumes after each chunk from its saved state', async ({ assert }) => {
    for (let round = 0; round < 20; round++) {
      let state: Buffer | null = null
      for (let offset = 0; offset < content.length;) {
        const digest = await SavedDigest.from(state, offset)
        const chunk = content.subarray(offset, offset + randomInt(1, 100_000))
        digest.update(chunk)
        state = digest.save()
        offset += chunk.length
      }
      const last = await SavedDigest.from(state, content.length)
      assert.equal(last.end(), expected)
    }
  })

  test('the digest of nothing is known without a state', async ({ assert }) => {
    const digest = await SavedDigest.from(null, 0)
    assert.equal(digest.end(), createHash('sha256').digest('hex'))
  })

  test('the digest is unknown if the state is lost or malformed, whatever follows', async ({
    assert,
  }) => {
    for (const state of [null, Buffer.alloc(116), Buffer.from('a')]) {
      const digest = await SavedDigest.from(state, 10)
      digest.update(content)
      assert.isNull(digest.save())
      assert.isUndefined(digest.end())
    }
  })

  test('the digest can be computed from the whole object', async ({ assert }) => {
    assert.equal(await digestOf(Readable.from([content])), expected)
  })
})

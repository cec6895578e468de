import { test } from '@japa/runner'

import { generateExternalName } from '#core/names/external_name'
import { generateName } from '#core/names/generate_name'
import { newSlugName, slugName } from '#core/names/slug_name'
import { ADJECTIVES, NOUNS } from '#core/names/words'
import { body } from '#kernel/body'
import { overrideClock } from '#kernel/clock'

const creation = body({ name: newSlugName })
const change = body({ name: slugName })

test.group('Names of core records', () => {
  test('a name is trimmed and put into lower case', async ({ assert }) => {
    assert.equal((await creation.validate({ name: '  Some-Name_1.x ' })).name, 'some-name_1.x')
    assert.equal((await change.validate({ name: 'ABC' })).name, 'abc')
  })

  test('that are missing, null or blank may be generated at creation', async ({ assert }) => {
    for (const sent of [{}, { name: null }, { name: '' }, { name: '  ' }]) {
      assert.notExists((await creation.validate(sent)).name)
    }
  })

  test('a name cannot be removed by an update', async ({ assert }) => {
    assert.isUndefined((await change.validate({})).name)
    for (const name of [null, '', '  ']) {
      await assert.rejects(() => change.validate({ name }))
    }
  })

  for (const [what, name] of [
    ['too short', 'ab'],
    ['too long', 'a'.repeat(129)],
    ['with a space', 'some name'],
    ['with a letter of another alphabet', 'größe'],
    ['with a slash', 'some/name'],
    ['no text', 5],
  ] as const) {
    test(`that are ${what} are one issue`, async ({ assert }) => {
      for (const validator of [creation, change]) {
        const { messages } = (await validator.validate({ name }).catch((error) => error)) as {
          messages: { code: string; path: string[] }[]
        }
        assert.deepEqual(
          messages.map(({ code, path }) => ({ code, path })),
          [{ code: 'value_invalid', path: ['name'] }]
        )
      }
    })
  }

  test('names of 3 and of 128 characters are valid', async ({ assert }) => {
    for (const name of ['abc', 'z'.repeat(128)]) {
      assert.equal((await creation.validate({ name })).name, name)
    }
  })
})

test.group('Generated names', () => {
  test('a generated name is two words and six digits that a name may consist of', async ({
    assert,
  }) => {
    for (let count = 0; count < 500; count++) {
      const name = generateName()
      assert.match(name, /^[a-z]+-[a-z]+-[0-9a-f]{6}$/)
      assert.equal((await change.validate({ name })).name, name)
    }
  })

  test('names differ', ({ assert }) => {
    const names = Array.from({ length: 2_000 }, generateName)
    assert.equal(new Set(names).size, names.length)
  })

  test('words are unique in their lists, and equally likely', ({ assert }) => {
    for (const words of [ADJECTIVES, NOUNS]) {
      assert.lengthOf(words, 64)
      assert.equal(new Set(words).size, 64)
    }
  })

  test('names use the source of randomness', ({ assert, cleanup }) => {
    cleanup(overrideClock({ random: (bytes) => Buffer.alloc(bytes, 0xff) }))
    assert.equal(generateName(), 'warm-wren-ffffff')
  })
})

test.group('Generated external names', () => {
  test('a generated external name is 21 lower-case letters and digits', ({ assert }) => {
    for (let count = 0; count < 500; count++) {
      assert.match(generateExternalName(), /^[0-9a-z]{21}$/)
    }
  })

  test('names use every letter about equally often', ({ assert }) => {
    const counts = new Map<string, number>()
    for (const letter of Array.from({ length: 2_000 }, generateExternalName).join('')) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    assert.equal(counts.size, 36)
    const expected = (2_000 * 21) / 36
    for (const count of counts.values()) {
      assert.approximately(count, expected, expected / 5)
    }
  })
})

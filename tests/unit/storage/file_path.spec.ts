import { test } from '@japa/runner'
import fc from 'fast-check'

import { filePath, safePath, pathProblem } from '#storage/bucket_files/file_path'
import { anyText } from '#tests/helpers/query/any_text'
import { rounds } from '#tests/helpers/rounds'

const GOOD = [
  'a',
  'a/b/c.txt',
  'Größe/名前.txt',
  'a\\b',
  '.hidden',
  '..a',
  'a..',
  '...',
  'a b/ c ',
  './a',
  'x'.repeat(256),
  `${'d/'.repeat(200)}a`,
]

const BAD: [string, RegExp][] = [
  ['', /empty/],
  ['/a', /slash/],
  ['a/', /slash/],
  ['..', /leads out/],
  ['../a', /leads out/],
  ['a/../b', /leads out/],
  ['a/..', /leads out/],
  ['.', /names no file/],
  ['a/.', /names no file/],
  ['a\0b', /control/],
  ['a\nb', /control/],
  ['a\u007f', /control/],
  ['a\u0085', /control/],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'].map(
    (control): [string, RegExp] => [`a${control}fdp.exe`, /direction/]
  ),
  ['a\ud800', /Unicode/],
  ['x'.repeat(257), /256/],
  ['d/'.repeat(256) + 'a', /512/],
]

test.group('Paths of files', () => {
  test('valid paths are accepted unchanged', ({ assert }) => {
    for (const path of GOOD) {
      assert.isUndefined(pathProblem(path), path)
      assert.equal(safePath(path), path)
    }
  })

  test('paths that escape the bucket, or cannot be displayed, are rejected', ({ assert }) => {
    for (const [path, reason] of BAD) {
      assert.match(pathProblem(path) ?? '', reason)
    }
  })

  test('a path has a name and a directory', ({ assert }) => {
    assert.deepEqual(filePath('a/b/c.txt'), {
      path: 'a/b/c.txt',
      name: 'c.txt',
      directory: 'a/b',
    })
    assert.deepEqual(filePath('c.txt'), { path: 'c.txt', name: 'c.txt', directory: '.' })
  })

  test('every path becomes safe and stays unique', ({ assert }) => {
    const segment = fc.oneof(fc.constantFrom('..', '.', '', 'a'), anyText())
    const path = fc.array(segment, { maxLength: 6 }).map((segments) => segments.join('/'))
    fc.assert(
      fc.property(path, path, (one, other) => {
        const harmless = safePath(one)
        assert.isFalse(harmless.startsWith('/') || harmless.endsWith('/') || harmless === '')
        assert.notInclude(harmless.split('/'), '..')
        assert.notMatch(harmless, /\p{Cc}/u)
        assert.isTrue(harmless.isWellFormed())
        if (one !== other) {
          assert.notEqual(harmless, safePath(other))
        }
      }),
      { numRuns: rounds(2_000) }
    )
  })
})

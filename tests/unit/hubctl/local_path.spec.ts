import { join } from 'node:path'

import { test } from '@japa/runner'

import { localPath } from '#hubctl/commands/bucket/local_path'

const HOSTILE = [
  '../out',
  'a/../../out',
  'a\\..\\..\\out',
  'line\nbreak',
  'tab\tstop',
  'bell\u0007',
  'escape\u001b[2J',
  'right-to-left\u202Efdp.exe',
  'isolate\u2066a',
]

test.group('The place of a file of a bucket on this machine', () => {
  test('the path is below the folder', ({ assert }) => {
    for (const path of ['a', 'a/b.csv', '.hidden', 'größe/ä b', '..a', '/absolute']) {
      assert.equal(localPath('/home/me/result', path), join('/home/me/result', path))
    }
  })

  test('the path is refused where it leaves the folder, or a terminal would obey its name', ({
    assert,
  }) => {
    for (const path of HOSTILE) {
      assert.throws(
        () => localPath('/home/me/result', path),
        /is outside the target folder|contains control characters/
      )
    }
  })
})

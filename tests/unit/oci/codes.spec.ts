import { readFileSync } from 'node:fs'

import { test } from '@japa/runner'

import * as errors from '#oci/errors'

const PAGE = new URL('../../../docs/images.md', import.meta.url)

test.group('Image error codes', () => {
  test('codes are all explained in docs/images.md, and no others', ({ assert }) => {
    const explained = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)` /gm)].map(
      ([, code]) => code
    )
    const codes = Object.values(errors).flatMap((one) => ('code' in one ? [one.code] : []))
    assert.sameMembers(explained, codes)
  })
})

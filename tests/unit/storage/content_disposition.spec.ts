import { test } from '@japa/runner'
import fc from 'fast-check'

import { attachment } from '#storage/downloads/content_disposition'
import { anyText } from '#tests/helpers/query/any_text'
import { rounds } from '#tests/helpers/rounds'

test.group('Content-Disposition', () => {
  test('a name is sent as {is}')
    .with([
      { name: 'a.txt', is: 'attachment; filename="a.txt"' },
      { name: 'two words.txt', is: 'attachment; filename="two words.txt"' },
      { name: 'say "hi"\\.txt', is: 'attachment; filename="say \\"hi\\"_.txt"' },
      {
        name: 'Größe.txt',
        is: `attachment; filename="Gr??e.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.txt`,
      },
      { name: '50%25.txt', is: `attachment; filename="50%25.txt"; filename*=UTF-8''50%2525.txt` },
      {
        name: `it's (1)é`,
        is: `attachment; filename="it's (1)?"; filename*=UTF-8''it%27s%20%281%29%C3%A9`,
      },
      { name: '../../etc/passwd', is: 'attachment; filename=".._.._etc_passwd"' },
      { name: 'a\r\nSet-Cookie: b', is: 'attachment; filename="aSet-Cookie: b"' },
      { name: 'exe\u202Etxt.js', is: 'attachment; filename="exetxt.js"' },
      { name: '', is: 'attachment; filename="fallback"' },
      { name: '\0', is: 'attachment; filename="fallback"' },
    ])
    .run(({ assert }, { name, is }) => {
      assert.equal(attachment(name, 'fallback'), is)
    })

  test('any name makes a header of plain text that gives the name back', ({ assert }) => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (name) => {
        const header = attachment(name, 'fallback')
        assert.match(
          header,
          /^attachment; filename="(?:[^"\\]|\\["\\])*"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]*)?$/
        )
        assert.match(header, /^[ -~]*$/)
        const [, encoded] = header.split("''")
        if (encoded !== undefined) {
          const plain = decodeURIComponent(encoded)
          assert.notMatch(plain, /[/\\\p{Cc}]/u)
          assert.isTrue(
            [...plain].every((character) => character === '_' || name.includes(character))
          )
        }
      }),
      { numRuns: rounds(2_000) }
    )
  })

  test('a name other than Unicode text is sent all the same', ({ assert }) => {
    assert.equal(
      attachment('a\ud800b', 'fallback'),
      `attachment; filename="a?b"; filename*=UTF-8''a%EF%BF%BDb`
    )
  })
})

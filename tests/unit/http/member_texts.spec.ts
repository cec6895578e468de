import { test } from '@japa/runner'

import { memberTexts } from '#http/member_texts'

test.group('The text of an attribute', () => {
  test('the text is its source text in the body: {text}')
    .with([
      { text: '{"a":1}', is: '1' },
      { text: ' {\n "a" :\t1 }', is: '1' },
      { text: '{"b":"\\"a\\":2","a":-1.50e+2,"c":3}', is: '-1.50e+2' },
      { text: '{"a":"x\\\\","b":"a"}', is: '"x\\\\"' },
      { text: '{"a":{"a":[{"a":"}]"}]},"b":2}', is: '{"a":[{"a":"}]"}]}' },
      { text: '{"b":{"a":1},"a":[ 1, [] ]}', is: '[ 1, [] ]' },
      { text: '{"a":1,"a":2}', is: '2' },
      { text: '{"\\u0061":null}', is: 'null' },
      { text: '{"a":true}', is: 'true' },
      { text: '{"b":1}', is: undefined },
      { text: '{}', is: undefined },
      { text: '', is: undefined },
    ])
    .run(({ assert }, { text, is }) => {
      assert.equal(memberTexts(text).get('a'), is)
      const parsed = text === '' ? {} : JSON.parse(text)
      assert.deepEqual(is === undefined ? undefined : JSON.parse(is), parsed.a)
    })
})

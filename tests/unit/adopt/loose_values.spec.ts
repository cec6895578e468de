import { test } from '@japa/runner'

import { readChoice } from '#adopt/rows/read_choice'
import { readJson } from '#adopt/rows/read_json'
import { UnreadableValue } from '#adopt/rows/unreadable_value'

const again = (text: string, times = 1): string =>
  times === 0 ? text : again(JSON.stringify(text), times - 1)
const LIST = '[{"value":"-u","position":"before"},{"value":"-v"},{"value":"-w","position":null}]'

test.group('Values of lenient writers', () => {
  for (const text of ['', ' ', 'null', 'undefined', 'NaN', '"null"', '""', again('undefined')]) {
    test(`for a list, document or choice can be empty: ${text}`, ({ assert }) => {
      assert.isNull(readJson('arguments', text))
      assert.isNull(readJson('document', text))
      assert.isNull(readChoice(new Set(['approved']), text))
    })
  }

  for (const [text, read] of [
    [LIST, LIST],
    ['[]', '[]'],
    [again(LIST), LIST],
    [again(LIST, 3), LIST],
    ['["-u", 7]', '[{"value":"-u"},{"value":"7"}]'],
    ['[{"value":7,"position":"AFTER"}]', '[{"value":"7","position":"after"}]'],
    ['[{"value":"-u","position":""}]', '[{"value":"-u"}]'],
  ] as const) {
    test(`for arguments are normalized: ${text}`, ({ assert }) => {
      assert.equal(readJson('arguments', text), read)
      assert.equal(readJson('arguments', read), read)
    })
  }

  for (const text of ['-u', '{}', '7', '[true]', '[{"value":null}]', '[null]', '[["-u"]]']) {
    test(`for arguments can be ambiguous: ${text}`, ({ assert }) => {
      assert.instanceOf(readJson('arguments', text), UnreadableValue)
    })
  }

  test('for arguments are ambiguous with an invalid position', ({ assert }) => {
    assert.instanceOf(
      readJson('arguments', '[{"value":"-u","position":"middle"}]'),
      UnreadableValue
    )
  })

  test('for a document are decoded, but a text stays a text', ({ assert }) => {
    assert.equal(readJson('document', again('{"diff":{}}', 2)), '{"diff":{}}')
    assert.equal(readJson('document', '"a text"'), '"a text"')
    assert.equal(readJson('document', '"5"'), '"5"')
    assert.instanceOf(readJson('document', 'not json'), UnreadableValue)
  })

  test('texts for a message are stored as sent, and an empty note is null', ({ assert }) => {
    assert.equal(readJson('sent', 'undefined'), '"undefined"')
    assert.equal(readJson('sent', ''), '""')
    assert.equal(readJson('sent', again('{"a":1}')), again('{"a":1}'))
    assert.isNull(readJson('note', 'undefined'))
    assert.equal(readJson('note', 'of mine'), '"of mine"')
  })

  test('for a choice ignore case, quotes and blanks', ({ assert }) => {
    const choices = new Set(['approved', 'masterImages'])
    for (const text of ['approved', 'Approved', '"approved"', ' APPROVED ', '" approved"']) {
      assert.equal(readChoice(choices, text), 'approved')
    }
    assert.equal(readChoice(choices, 'masterimages'), 'masterImages')
    assert.deepEqual(readChoice(choices, 'maybe'), new UnreadableValue('is "maybe"'))
  })
})

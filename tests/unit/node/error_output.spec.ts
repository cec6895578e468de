import { test } from '@japa/runner'

import { ErrorOutput } from '#node/analyses/error_output'

const FIRST = [
  'Traceback (most recent call last):',
  '  File "/opt/code/old.py", line 1',
  'OSError: x',
]
const LAST = [
  'Traceback (most recent call last):',
  '  File "/opt/code/main.py", line 21, in <module>',
  '    main(rows)',
  '  File "/opt/code/main.py", line 14, in main',
  '    raise my.Failure(rows[0])',
  'my.Failure: Jane Doe, 1960-01-02',
  'her diagnosis: I21.0',
]

const outputOf = (lines: readonly string[]): ErrorOutput => {
  const output = new ErrorOutput()
  lines.forEach((line) => output.add(line))
  return output
}

test.group('The end of error output', () => {
  test('the reported end is the last traceback, with its places', ({ assert }) => {
    assert.deepEqual(outputOf(['a warning', ...FIRST, '', ...LAST]).report(true), LAST)
  })

  test('without values has places and the name of the exception only', ({ assert }) => {
    assert.deepEqual(outputOf([...FIRST, ...LAST]).report(false), [
      '  File "/opt/code/main.py", line 21, in <module>',
      '  File "/opt/code/main.py", line 14, in main',
      'my.Failure',
    ])
  })

  test('the reported end of code that does not parse has its line', ({ assert }) => {
    const lines = [
      '  File "/opt/code/main.py", line 3',
      '    print(',
      "SyntaxError: '(' was never closed",
    ]
    assert.deepEqual(outputOf(lines).report(true), lines)
    assert.deepEqual(outputOf(lines).report(false), [
      '  File "/opt/code/main.py", line 3',
      'SyntaxError',
    ])
  })

  test('the reported end of another program has its last lines, and none without values', ({
    assert,
  }) => {
    const lines = Array.from({ length: 100 }, (_, index) => `row ${index}: Jane Doe`)
    assert.deepEqual(outputOf(lines).report(true), lines.slice(-40))
    assert.deepEqual(outputOf(lines).report(false), [])
  })

  test('the reported end is bounded, whatever is printed', ({ assert }) => {
    const output = new ErrorOutput()
    output.add(LAST[0]!)
    for (let line = 0; line < 300; line += 1) {
      output.add(`  File "${'x'.repeat(100)}", line ${line}, in f${'é'.repeat(10_000)}`)
    }
    const lines = output.report(true)
    assert.lengthOf(lines, 41)
    assert.equal(lines[20], '… 261 more lines …')
    assert.isBelow(lines.join('').length, 41 * 500 + 1)
    for (let line = 0; line < 100_000; line += 1) {
      output.add('again')
    }
    assert.lengthOf(output.report(true), 40)
  })
})

import { test } from '@japa/runner'

import { readStatements, sectionOf, testedIn } from '#tests/acceptance/interface/coverage'

const STATEMENTS = [
  { id: 'Limits row 1', title: 'a limit' },
  { id: 'Limits 1', title: 'a rule' },
  { id: 'Limits 10a', title: 'half a rule' },
]

const look = (text: string) => testedIn('some.spec.ts', text, STATEMENTS)

test.group('Statements of the interface', () => {
  test('statements have ids of their own that end in a number', ({ assert }) => {
    const ids = readStatements().map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) {
      assert.match(id, /^[A-Z][^:]* (row )?\d+[a-z]?$/)
    }
  })

  test('statements belong to the section in front of the number', ({ assert }) => {
    assert.deepEqual(STATEMENTS.map(sectionOf), ['Limits', 'Limits', 'Limits'])
  })
})

test.group('Check of the interface', () => {
  test('the check counts a test whose title begins with a statement', ({ assert }) => {
    const { tested, misnamed } = look(`
      test.group('Limits', () => {
        test('Limits row 1: holds', ({ assert }) => assert.isTrue(true))
        test(\`Limits 1: holds for {$self}\`).with([1]).run(() => {})
        test('Limits 10a: holds', () => {}).skip(() => false, 'never')
      })`)
    assert.deepEqual([...tested], ['Limits row 1', 'Limits 1', 'Limits 10a'])
    assert.deepEqual(misnamed, [])
  })

  test('the check does not count a test that shows nothing: {$self}')
    .with([
      `test('Limits 1: to be written')`,
      `test('Limits 1: is skipped', () => {}).skip()`,
      `test('Limits 1: is skipped', () => {}).tags(['x']).skip(true, 'later')`,
      `test('Limits 1: lacks a body').with([1])`,
      `// test('Limits 1: is a comment', () => {})`,
      `text('Limits 1: is no test', () => {})`,
    ])
    .run(({ assert }, text) => {
      assert.deepEqual(look(text), { tested: new Set(), misnamed: [] })
    })

  test('the check refuses a title that names no statement or cannot be read', ({ assert }) => {
    const { tested, misnamed } = look(
      [
        `test('Limits 2: is unknown', () => {})`,
        `test('Limits 1 without a colon', () => {})`,
        `test(title, () => {})`,
        'test(`Limits ${number}: holds`, () => {})',
      ].join('\n')
    )
    assert.equal(tested.size, 0)
    assert.deepEqual(
      misnamed.map(({ line, reason }) => `${line} ${reason}`),
      [
        '1 "Limits 2" is no statement of the interface',
        '2 "Limits 1 without a colon" is no statement of the interface',
        '3 the title is not a plain text',
        '4 the title is not a plain text',
      ]
    )
  })
})

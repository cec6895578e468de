import { resolve } from 'node:path'

import { test } from '@japa/runner'
import { ESLint } from 'eslint'

const ROOT = resolve(import.meta.dirname, '../../..')
const RULE = 'house/field-words'

/** The words and phrases that the rule refuses in a file. */
async function refused(code: string, file = 'app/core/an_example.ts'): Promise<string[]> {
  const eslint = new ESLint({ cwd: ROOT, ruleFilter: ({ ruleId }) => ruleId === RULE })
  const [result] = await eslint.lintText(code, { filePath: resolve(ROOT, file) })
  return result!.messages.map(
    ({ message }) => /"([^"]+)" (?:is not a word|says less)/.exec(message)?.[1] ?? message
  )
}

test.group('Lint of words', () => {
  test('a word that is not of the field is refused in {$self.where}')
    .with([
      { where: 'a name', code: 'const heardAt = 1', word: 'heard' },
      { where: 'a comment', code: '/** Returns what a node said. */', word: 'said' },
      { where: 'a line comment', code: '// It goes on.', word: 'goes on' },
      {
        where: 'a comment of several lines',
        code: '/**\n * Reads a part. Those\n * that are late wait.\n */',
        word: 'Those that',
      },
      {
        where: 'a summary',
        code: "routes.get('/', show, { summary: 'Whether it is no good' })",
        word: 'is no good',
      },
      {
        where: 'a description with parts',
        code: "const a = { description: isOld ? 'Before' : 'Rows of ' + 'no realm' }",
        word: 'of no realm',
      },
      {
        where: 'the id of an operation',
        code: "routes.get('/', ask, { name: 'askedForLogin', summary: 'Log in', access: anyone })",
        word: 'asked',
      },
      { where: 'an error', code: "throw new NotFound('It is no page')", word: 'is no page' },
      {
        where: 'an error with values',
        code: 'throw new NotFound(`${path} is kept elsewhere`)',
        word: 'kept',
      },
      {
        where: 'the base of an error',
        code: "class Gone extends Error { constructor() { super('nobody has it') } }",
        word: 'nobody',
      },
      {
        where: 'a reason',
        code: "issue('name_invalid', ['name'], 'The name is taken')",
        word: 'taken',
      },
      { where: 'the title of a test', code: "test('callers are told', () => {})", word: 'told' },
      {
        where: 'the name of a group',
        code: "test.group('Rows of no realm', () => {})",
        word: 'of no realm',
      },
      {
        where: 'a name of SQL',
        code: ["const RUNS = 'select", "begun_at from runs'"].join(' '),
        word: 'begun',
      },
    ])
    .run(async ({ assert }, { code, word }) => {
      assert.deepEqual(await refused(code), [word])
    })

  test('plain English is allowed: {$self}')
    .with([
      '/** There is no limit, and it is no longer needed. */',
      '/** The name is taken from the token. The connection is kept alive. */',
      '/** Returns the rows that are expired, and those that expire today. */',
      '/** The outcome is `kept`. */',
      "throw new Failure('kept')",
      "const count = 'told'.length",
    ])
    .run(async ({ assert }, code) => {
      assert.isEmpty(await refused(code))
    })
})

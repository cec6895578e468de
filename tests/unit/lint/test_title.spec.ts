import { resolve } from 'node:path'

import { test } from '@japa/runner'
import { ESLint } from 'eslint'

const ROOT = resolve(import.meta.dirname, '../../..')
const RULE = 'titles/test-title'

/** What the rule says about the title of a test in a group. */
async function problems(title: string, group: string): Promise<(string | undefined)[]> {
  const eslint = new ESLint({ cwd: ROOT, ruleFilter: ({ ruleId }) => ruleId === RULE })
  const code = `test.group('${group}', () => { test('${title}', () => {}) })`
  const [result] = await eslint.lintText(code, { filePath: resolve(ROOT, 'tests/an.spec.ts') })
  return result!.messages.map(({ messageId }) => messageId)
}

test.group('Lint of titles', () => {
  test('a title without a subject is refused: {$self}')
    .with(['of no bytes are files at once', 'is told before there is any event', 'keeps its order'])
    .run(async ({ assert }, title) => {
      assert.deepEqual(await problems(title, 'Uploads'), ['subject'])
    })

  test('a title that continues the one before is refused', async ({ assert }) => {
    assert.deepEqual(await problems('but files are not', 'Uploads'), ['continues'])
  })

  test('a title that repeats a long name of its group is refused', async ({ assert }) => {
    const group = 'Uploads of crashed workers'
    assert.deepEqual(await problems('uploads of crashed workers end', group), ['repeats'])
  })

  test('a sentence with a subject is allowed: {$self}')
    .with(['uploads end', 'nothing is stored', 'Versioning 1: is a statement'])
    .run(async ({ assert }, title) => {
      assert.isEmpty(await problems(title, 'Uploads'))
    })
})

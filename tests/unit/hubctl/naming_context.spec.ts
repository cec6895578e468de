import { test } from '@japa/runner'

import { EXIT } from '#hubctl/exit_codes'
import { escapedLines } from '#hubctl/output/printable'
import { inContext, namingContext, Problem } from '#hubctl/problem'

test.group('Commands that hubctl suggests', () => {
  test('name the context in which they are meant', ({ assert }) => {
    const named = (text: string) => inContext(text, 'sandbox-north')
    const command = 'hubctl --context sandbox-north analysis approve mean'
    assert.equal(named('hubctl analysis approve mean'), command)
    assert.equal(named('      hubctl analysis approve mean'), `      ${command}`)
    assert.equal(
      named('See why: hubctl analysis explain mean'),
      `See why: ${command.replace('approve', 'explain')}`
    )
  })

  test('commands stay as they are where a context means nothing, or none was named', ({
    assert,
  }) => {
    for (const text of [
      'Log in: hubctl login',
      'Start it: hubctl sandbox up',
      'All: hubctl context list',
      'hubctl --context other get nodes',
      'install the hubctl of that version',
    ]) {
      assert.equal(inContext(text, 'sandbox'), text)
    }
    assert.equal(inContext('hubctl get nodes', undefined), 'hubctl get nodes')
  })

  test('name it in the advice of a problem, whose exit code stays', async ({ assert }) => {
    const failing = namingContext('sandbox', async () => {
      throw new Problem(EXIT.notFound, 'There is none.', ['List them: hubctl get nodes'])
    })
    const problem = await failing.catch((error: Problem) => error)
    assert.containSubset(problem, {
      exitCode: EXIT.notFound,
      message: 'There is none.',
      advice: ['List them: hubctl --context sandbox get nodes'],
    })
  })
})

test.group('Code that is shown to whoever decides', () => {
  test('shown code has control characters and overrides of the text direction as escapes', ({
    assert,
  }) => {
    const code = 'a = 1 \u202E# \u001B[2Jb\r\u0007\n\tend\r\nlast'
    assert.equal(escapedLines(code), 'a = 1 \\u{202e}# \\u{1b}[2Jb\\u{d}\\u{7}\n\tend\nlast')
  })
})

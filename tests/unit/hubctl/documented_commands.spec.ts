import { readdir, readFile } from 'node:fs/promises'

import { test } from '@japa/runner'
import { CommanderError, type Command } from 'commander'

import { hubctl } from '#hubctl/program'
import { shellBlocks } from '#tests/helpers/shell_blocks'

const PAGES = ['../README.md', ...(await readdir('docs'))].filter((page) => page.endsWith('.md'))

/** Calls of hubctl that a page shows in blocks for a shell, and in the first column of tables. */
async function documentedCalls(page: string): Promise<string[]> {
  const lines = (await shellBlocks(page)).flatMap((block) =>
    block
      .replaceAll('\\\n', ' ')
      .split(/\n|&&|;|\|/)
      .map((line) => line.trim())
  )
  const text = await readFile(`docs/${page}`, 'utf8')
  const cells = [...text.matchAll(/^\| `(hubctl [^`]+)`/gm)].map(([, call]) => call!)
  return [...lines, ...cells].filter((line) => CALL.test(line))
}

const CALL =
  /^(?:\w+=\S+ )*(?:npx |npm run (?:--silent )?hubctl -- |sudo )?hubctl |^npm run (?:--silent )?hubctl -- /

/** Words as a shell makes them, without redirections; what it would put in stands as it is. */
function wordsOf(call: string): string[] {
  const words = call
    .replace(CALL, '')
    .replace(/\s#\s.*$/, '')
    .replace(/\s\d?[<>]{1,2}(?:&\d|\s*\S+)/g, (redirection) =>
      /<[\w-]+>/.test(redirection) ? redirection : ''
    )
    .match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)
  return (words ?? []).map((word) => word.replace(/["']/g, '').replace(/^\[|\]$/g, ''))
}

/** The program without what its commands do. */
function inertProgram(): Command {
  const program = hubctl()
  const disarm = (command: Command) => {
    command.exitOverride().configureOutput({ writeOut() {}, writeErr() {} })
    if (command.commands.length === 0) {
      command.action(() => {})
    }
    command.commands.forEach(disarm)
  }
  disarm(program)
  return program
}

const CALLS = new Map(
  await Promise.all(PAGES.map(async (page) => [page, await documentedCalls(page)] as const))
)

test.group('Commands of hubctl that documentation shows', () => {
  for (const [page, calls] of CALLS) {
    if (calls.length > 0) {
      test(`documented commands are understood as ${page} writes them`, async ({ assert }) => {
        const failures: string[] = []
        for (const call of calls) {
          try {
            await inertProgram().parseAsync(wordsOf(call), { from: 'user' })
          } catch (error) {
            if (!(error instanceof CommanderError && error.exitCode === 0)) {
              failures.push(`${call}: ${(error as Error).message}`)
            }
          }
        }
        assert.deepEqual(failures, [])
      })
    }
  }

  test('documented commands are found', ({ assert }) => {
    assert.isAbove([...CALLS.values()].flat().length, 100)
  })
})

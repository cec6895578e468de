import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { TestSandbox } from './test_sandbox.js'

const WHISPER = fileURLToPath(new URL('../../fixtures/analyses/whisper', import.meta.url))
const RUN_BYTES = 8

for (const isolation of ['bubblewrap', 'runc']) {
  test.group(`A sandbox with ${isolation}`, (group) => {
    let running: TestSandbox
    const sandbox = (...args: string[]) => running.command(...args)

    group.setup(async () => {
      running = await TestSandbox.create(['--isolation', isolation])
      await running.up()
      return () => running.remove()
    })
    group.each.timeout(900_000)

    test('runs the example {example}, whose result is the expected one')
      .with(['mean', 'regression', 'survival', 'failing', 'escape'].map((example) => ({ example })))
      .run(async ({ assert }, { example }) => {
        assert.match(await running.run(example), /expected/)
      })

    test('shows nothing of messages and intermediate files on their way', async ({ assert }) => {
      const { machine, folder } = running
      const to = machine.path('whispered')
      await sandbox('run', WHISPER, '--to', to)
      const backwards = JSON.parse(await readFile(join(to, 'result.txt'), 'utf8')) as string[]
      const texts = backwards.map(reversed)
      assert.lengthOf(texts, 6)
      const found = await filesWithRunsOf(texts, join(folder, 'hub'))
      assert.deepEqual(found, [])
      // The search finds what is there.
      assert.isNotEmpty(await filesWithRunsOf(backwards, join(folder, 'hub')))
    })

    test('says that an analysis failed whose node was killed, and goes on', async ({ assert }) => {
      process.kill(await running.nodeProcess('north'), 'SIGKILL')
      assert.notEqual(await running.ended(), 0)
      await eventually(async () => (await running.processes()).length === 0, 120_000)
      await running.up()
      assert.match(await running.run('mean'), /expected/)
    })

    test('leaves nothing running, and is found again', async ({ assert }) => {
      await sandbox('down')
      assert.deepEqual(await running.processes(), [])
      await running.up()
      const analyses = await running.machine.json<{ name: string }[]>(
        '--context',
        'sandbox',
        'get',
        'analyses'
      )
      assert.isTrue(analyses.some(({ name }) => name.startsWith('mean-')))
      assert.include(await sandbox('status'), 'north')
    })
  })
}

const reversed = (text: string): string => [...text].reverse().join('')

/** The files that contain any run of eight characters of a text. */
async function filesWithRunsOf(texts: readonly string[], folder: string): Promise<string[]> {
  const all = new Set(
    texts.flatMap((text) =>
      Array.from({ length: text.length - RUN_BYTES + 1 }, (_, at) => text.slice(at, at + RUN_BYTES))
    )
  )
  // Around the middle of a palindrome, a text has runs that it also has backwards, as the result does.
  const runs = new Set([...all].filter((run) => !all.has(reversed(run))))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const content = await readFile(file, 'latin1').catch(() => '')
    if (containsAny(content, runs)) {
      found.push(file)
    }
  }
  return found
}

/** Looks at text that can be one of the runs only, which are hexadecimal digits. */
function containsAny(content: string, runs: ReadonlySet<string>): boolean {
  for (const [digits] of content.matchAll(/[0-9a-f]{8,}/g)) {
    for (let at = 0; at + RUN_BYTES <= digits.length; at += 1) {
      if (runs.has(digits.slice(at, at + RUN_BYTES))) {
        return true
      }
    }
  }
  return false
}

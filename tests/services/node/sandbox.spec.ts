import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { TestSandbox } from './test_sandbox.js'

const WHISPER = fileURLToPath(new URL('../../fixtures/analyses/whisper', import.meta.url))
const RUN_BYTES = 16

interface Execution {
  readonly executionStatus: string | null
  readonly executionProgress: number | null
}

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

    test('the sandbox runs the example {example}, whose result is the expected one')
      .with(['mean', 'regression', 'survival', 'failing', 'escape'].map((example) => ({ example })))
      .run(async ({ assert }, { example }) => {
        assert.match(await running.run(example), /expected/)
      })

    test('the sandbox ends at 100 % what has ended well, whether or not its code counts', async ({
      assert,
    }) => {
      const nodes = await running.read<{ data: readonly Execution[] }>('sandbox', '/analysis-nodes')
      const executed = nodes.data.filter(({ executionStatus }) => executionStatus === 'executed')
      assert.isNotEmpty(executed)
      executed.forEach(({ executionProgress }) => assert.equal(executionProgress, 100))
    })

    test('the sandbox shows the files of an analysis to those who decide at a hospital', async ({
      assert,
    }) => {
      const { machine } = running
      const steward = (...args: string[]) =>
        machine.must('--context', 'sandbox-north', 'analysis', ...args)
      const analyses = await running.read<{ data: readonly { name: string }[] }>(
        'sandbox',
        '/analyses'
      )
      const { name } = analyses.data.find((analysis) => analysis.name.startsWith('mean-'))!
      const code = await readFile('examples/mean/main.py', 'utf8')
      assert.include(await steward('files', name), 'main.py')
      assert.equal((await steward('show-file', name, 'main.py')).trimEnd(), code.trimEnd())
      const to = machine.path('decided.py')
      await steward('show-file', name, 'main.py', '--to', to)
      assert.equal(await readFile(to, 'utf8'), code)
    })

    test('the sandbox shows nothing of messages and intermediate files on their way', async ({
      assert,
    }) => {
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

    test('the sandbox restarts a killed node, says so, and continues', async ({ assert }) => {
      const { supervisor } = await running.nodeProcesses('north')
      process.kill(supervisor, 'SIGKILL')
      await running.shows('north has ended (SIGKILL). It is started again in 1 s.')
      await running.shows('north runs again.')
      assert.match(await running.run('mean'), /expected/)
    })

    test('the sandbox keeps a policy that somebody has changed, and asks people then', async ({
      assert,
    }) => {
      const policy = join(running.folder, 'nodes/north/policy.yaml')
      const before = await readFile(policy, 'utf8')
      await sandbox('down')
      await writeFile(policy, before.replace('approve: auto', 'approve: ask'))
      await running.up()
      assert.include(await readFile(policy, 'utf8'), 'approve: ask')
      await sandbox('down')
      await writeFile(policy, before)
      await running.up()
    })

    test('the sandbox takes up what a killed one left, in the temporary folder, too', async ({
      assert,
    }) => {
      const temporary = await readlink(join(running.folder, 'temporary'))
      await running.kill()
      await running.up()
      assert.isFalse(existsSync(temporary))
      assert.match(await running.run('mean'), /expected/)
    })

    test('the sandbox leaves nothing running, and is found again', async ({ assert }) => {
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

/** The files that contain any run of sixteen characters of a text; eight are found by chance among millions of digits. */
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
  for (const [digits] of content.matchAll(/[0-9a-f]{16,}/g)) {
    for (let at = 0; at + RUN_BYTES <= digits.length; at += 1) {
      if (runs.has(digits.slice(at, at + RUN_BYTES))) {
        return true
      }
    }
  }
  return false
}

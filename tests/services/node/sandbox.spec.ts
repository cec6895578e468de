import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import type { Machine } from '#tests/services/hubctl/hubctl'
import { SandboxTerminal } from './sandbox_terminal.js'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const WHISPER = fileURLToPath(new URL('../../fixtures/analyses/whisper', import.meta.url))
const RUN_BYTES = 8

for (const isolation of ['bubblewrap', 'runc']) {
  test.group(`A sandbox with ${isolation}`, (group) => {
    let terminal: SandboxTerminal
    let machine: Machine
    let folder: string
    const sandbox = (...args: string[]) => terminal.call(...args)

    group.setup(async () => {
      await ensurePackages(PACKAGES.containers)
      terminal = await SandboxTerminal.open(['--isolation', isolation])
      ;({ machine, folder } = terminal)
      await terminal.up()
      return () => terminal.close()
    })
    group.each.timeout(900_000)

    test('runs the example {example}, whose result is the expected one')
      .with(['mean', 'regression', 'survival', 'failing', 'escape'].map((example) => ({ example })))
      .run(async ({ assert }, { example }) => {
        assert.match(await sandbox('run', example), /expected/)
      })

    test('shows nothing of messages and intermediate files on their way', async ({ assert }) => {
      const to = machine.path('whispered')
      await sandbox('run', WHISPER, '--to', to)
      const backwards = JSON.parse(await readFile(join(to, 'result.txt'), 'utf8')) as string[]
      const texts = backwards.map((text) => [...text].reverse().join(''))
      assert.lengthOf(texts, 6)
      const found = await filesWithRunsOf(texts, join(folder, 'hub'))
      assert.deepEqual(found, [])
      // The search finds what is there.
      assert.isNotEmpty(await filesWithRunsOf(backwards, join(folder, 'hub')))
    })

    test('says that an analysis failed whose node was killed, and goes on', async ({ assert }) => {
      const node = await processOf(join(folder, 'nodes/north'))
      process.kill(node!, 'SIGKILL')
      const [code] = (await once(terminal.running, 'exit')) as [number]
      assert.notEqual(code, 0)
      await eventually(async () => (await processesOf(folder)).length === 0, 120_000)
      await terminal.up()
      assert.match(await sandbox('run', 'mean'), /expected/)
    })

    test('leaves nothing running, and is found again', async ({ assert }) => {
      await sandbox('down')
      assert.deepEqual(await processesOf(folder), [])
      await terminal.up()
      const analyses = await machine.json<{ name: string }[]>(
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

/** The files that contain any run of eight characters of a text. */
async function filesWithRunsOf(texts: readonly string[], folder: string): Promise<string[]> {
  const runs = new Set(
    texts.flatMap((text) =>
      Array.from({ length: text.length - RUN_BYTES + 1 }, (_, at) => text.slice(at, at + RUN_BYTES))
    )
  )
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

/** The processes whose arguments or working folder are below a folder. */
async function processesOf(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const commands = await Promise.all(
    ids.map(async (id) => ({
      id,
      command: await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''),
    }))
  )
  return commands.filter(({ command }) => command.includes(folder)).map(({ id }) => id)
}

async function processOf(folder: string): Promise<number | undefined> {
  const ids = await processesOf(folder)
  return ids.at(-1)
}

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { findPython, pythonFiles } from '#node/python_image/python_files'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const MODULES = pathOf('../../../packages/node/python')
const NAMES = pathOf('../../fixtures/python/names.json')

/** The last line that a script prints, which is JSON. */
async function answerOf(script: string, args: readonly string[], input = ''): Promise<unknown> {
  const python = spawn('python3', [pathOf(`../../fixtures/python/${script}`), ...args], {
    env: { ...process.env, PYTHONPATH: MODULES, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  python.stdin.end(input)
  const lines = (await text(python.stdout)).trim().split('\n')
  return JSON.parse(lines.at(-1)!)
}

test.group('The modules of analyses', (group) => {
  group.each.timeout(120_000)

  test('the modules have the names, parameters and defaults that analyses are written with', async ({
    assert,
  }) => {
    const names = await readFile(NAMES, 'utf8')
    assert.deepEqual(await answerOf('signatures.py', [], names), JSON.parse(names))
  })

  test('the modules run a star without nodes', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    assert.deepEqual(await answerOf('stars.py', [folder]), {
      'one round': { 'one.txt': '6' },
      'rounds': [
        { 'all.txt': '42' },
        [
          [3, 3],
          [9, 9],
          [21, 21],
        ],
      ],
      'content at once': [
        { 'content.txt': '18' },
        [
          [6, null, 0],
          [18, 6, 1],
        ],
      ],
      'queries': [null, { keys: [] }, { keys: ['a.csv'] }],
      'several results': { 'two_1.txt': '6', 'two_2.txt': 'bytes' },
      'noise': true,
      'one node': 9,
      'all nodes': 3,
      'without noise': 'Noise needs an epsilon above 0 and a sensitivity that is not negative',
      'a mock without a role': 'test_kwargs lack aggregator_id, role, participants',
      'tagged': [{ a: 1 }],
      'iterations': 1,
      'level': 'warn',
      'table': ['patient;size', 'a;1', 'b;2'],
    })
  })

  test('the modules are in an image with the libraries that wheels expect of each system', async ({
    assert,
  }) => {
    const files = await pythonFiles(await findPython('python3'))
    const names = new Set(files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)))
    const expected = ['libgcc_s.so.1', 'libm.so.6', 'libdl.so.2', 'librt.so.1', 'libpthread.so.0']
    assert.includeMembers([...names], [...expected, 'libutil.so.1'])
    assert.equal(new Set(files.map(({ path }) => path)).size, files.length)
  })
})

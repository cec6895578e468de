import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { test } from '@japa/runner'

import { codeIn } from '#hubctl/commands/analysis_run/code_folder'
import { differences, readResult, textOf, valueOf } from '#hubctl/sandbox/expectation'

test.group('Folders of an analysis', (group) => {
  let folder: string
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-code-'))
    return () => rm(folder, { recursive: true })
  })

  async function write(files: Readonly<Record<string, string | Buffer>>) {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
  }

  test('a package of Python is uploaded whole, and what stays is named', async ({ assert }) => {
    const code = [
      'main.py',
      '__main__.py',
      '_private.py',
      'expected_values.py',
      'study/README.md',
      'study/__init__.py',
      'study/_model.py',
      'study/expected.json',
    ]
    const staying = [
      '.git/config',
      '.venv/pyvenv.cfg',
      'README.md',
      'expected.json',
      'study/.env',
      'study/__pycache__/_model.pyc',
    ]
    await write(Object.fromEntries([...code, ...staying].map((path) => [path, ''])))

    const found = await codeIn(folder, 'main.py')

    assert.sameMembers(
      found.code.map(({ path }) => path),
      code
    )
    assert.sameMembers([...found.staying], staying)
  })

  test('a result of several files is read whole', async ({ assert }) => {
    const picture = Buffer.from([0x89, 0x50, 0xff])
    await write({ 'mean.json': '{"mean":1.5}', 'tables/a.csv': 'a,b\n', 'plot.png': picture })

    const result = await readResult(folder)

    assert.deepEqual(
      result.map(({ path }) => path),
      ['mean.json', 'plot.png', 'tables/a.csv']
    )
    assert.deepEqual(result.map(textOf), ['{"mean":1.5}', undefined, 'a,b\n'])
    assert.deepEqual(
      differences(valueOf(result), {
        'mean.json': { mean: 2 },
        'plot.png': '',
        'tables/a.csv': 'a,b\n',
      }),
      ['result.mean.json.mean is 1.5 instead of 2']
    )
  })

  test('a result of one file is its value', async ({ assert }) => {
    await write({ 'result.json': '{"mean":1.5}' })

    assert.deepEqual(valueOf(await readResult(folder)), { mean: 1.5 })
  })

  test('a result without a file is a problem', async ({ assert }) => {
    await assert.rejects(() => readResult(folder), 'The analysis has no result.')
  })
})

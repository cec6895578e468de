import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { SourceFolder } from '#node/data_sources/source_folder'
import { GatewayError } from '#node/gateway/errors'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

test.group('A folder as a data source', (group) => {
  let source: SourceFolder
  group.each.setup(async ({ context: { cleanup } }) => {
    const folder = await temporaryFolder(cleanup)
    const data = join(folder, 'data')
    await mkdir(join(data, 'below'), { recursive: true })
    await writeFile(join(folder, 'secret'), 'secret')
    await writeFile(join(data, 'a.csv'), 'a')
    await writeFile(join(data, 'below/b.csv'), 'b')
    await symlink(join(folder, 'secret'), join(data, 'link'))
    source = new SourceFolder(data)
  })

  test('a folder lists its files by their path', async ({ assert }) => {
    assert.deepEqual(await source.list(), ['a.csv', 'below/b.csv'])
  })

  test('a folder reads a file', async ({ assert }) => {
    assert.equal(await text(await source.read('below/b.csv')), 'b')
  })

  test('a folder has no file {key}')
    .with(
      ['missing', '../secret', '/etc/passwd', 'below/../../secret', 'link', 'below', ''].map(
        (key) => ({ key })
      )
    )
    .run(async ({ assert }, { key }) => {
      await assert.rejects(() => source.read(key), GatewayError)
    })
})

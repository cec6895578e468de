import { test } from '@japa/runner'

import { ConsoleVisitor, unescaped } from '#tests/helpers/console/console_visitor'
import { HOSTILE } from '#tests/helpers/console/hostile_text'
import { at } from '#tests/helpers/application'
import { REALMS } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { storagePool } from '#storage/database'
import { Scene } from '#tests/functional/core/analysis_scene'
import { newBucket, upload } from '#tests/functional/storage/files_scene'

const admin = () => ConsoleVisitor.as()

/** An analysis with one result file. */
async function withResult(content: string | Uint8Array, name = 'result.csv') {
  const scene = await Scene.set()
  const analysis = await scene.analysis()
  const bucketId = await newBucket()
  await sampleRecord('core', analysisBucket, {
    analysisId: analysis.id,
    realmId: analysis.realmId,
    bucketId,
    type: 'RESULT',
    builtIn: true,
  })
  await upload(bucketId, [{ path: 'result.csv', content: Buffer.from(content) }])
  const { rows } = await storagePool().query<{ id: string }>(
    'update bucket_files set name = $2, path = $2 where bucket_id = $1 returning id',
    [bucketId, name]
  )
  const path = `/analyses/${String(analysis.id)}`
  return { analysis, path, file: `${path}/files/${rows[0]!.id}` }
}

test.group('Console | files of analyses', () => {
  test('results are on the page of their analysis, ready to be downloaded', async ({ assert }) => {
    const { path, file } = await withResult('a,b\n1,2\n')
    const { text } = await admin().open(path)
    assert.include(text, `${file}/download"`)
    assert.include(text, '8 B')
    assert.include(text, 'Result: not yet, one file.')
  })

  test('a file is found at its own analysis only', async ({ assert }) => {
    const { path, file } = await withResult('a,b\n1,2\n')
    const other = await withResult('c,d\n3,4\n')
    assert.equal((await admin().open(file)).status, 200)
    const elsewhere = `${path}${other.file.slice(other.path.length)}`
    assert.equal((await admin().open(elsewhere)).status, 404)
    assert.equal((await admin().open(`${elsewhere}/download`)).status, 404)
  })

  test('whoever decides about an analysis of another realm opens its code', async ({ assert }) => {
    const scene = await Scene.set()
    const analysis = await scene.analysis()
    await scene.assigned(analysis)
    const bucketId = await newBucket()
    await sampleRecord('core', analysisBucket, {
      analysisId: analysis.id,
      realmId: analysis.realmId,
      bucketId,
      type: 'CODE',
    })
    await storagePool().query(
      `update buckets set realm_id = $2, ref_type = 'analysis', ref_id = $3 where id = $1`,
      [bucketId, scene.realms.project, analysis.id]
    )
    await upload(bucketId, [{ path: 'main.py', content: Buffer.from('print(1)') }])
    const decider = ConsoleVisitor.as({
      realmId: scene.realms.node,
      realmName: 'a-site',
      permissions: ['analysis_approve'],
    })
    const path = `/analyses/${String(analysis.id)}/files`
    const list = await decider.open(`${path}?type=CODE`)
    const [file] = new RegExp(`${path}/[0-9a-f-]{36}`).exec(list.text) ?? []
    assert.isString(file)
    assert.include((await decider.open(file!)).text, 'print(1)')
  })

  test('files are listed by kind', async ({ assert }) => {
    const { path, file } = await withResult('a,b\n1,2\n')
    assert.include((await admin().open(`${path}/files`)).text, `${file}"`)
    const code = await admin().open(`${path}/files?type=CODE`)
    assert.notInclude(code.text, file)
    assert.include(code.text, 'There are no files, or you may see none.')
  })

  test('a file is shown as text, with its markup and its hidden characters visible', async ({
    assert,
  }) => {
    const { file } = await withResult(`${HOSTILE}\u202e reversed \u0007`, HOSTILE)
    const { status, text } = await admin().open(file)
    assert.equal(status, 200)
    assert.notMatch(text, /<script>alert|<img src=x/)
    assert.include(unescaped(text), `>${HOSTILE}[U+202E] reversed [U+0007]</pre>`)
  })

  test('only the beginning of a long file is shown', async ({ assert }) => {
    const { file } = await withResult('é'.repeat(200_000))
    const { text } = await admin().open(file)
    assert.include(text, 'Only the first 256 KiB are shown.')
    assert.equal(text.match(/é/g)?.length, 131_072)
  })

  test('a file other than text is not shown', async ({ assert }) => {
    for (const content of [Buffer.from([0x50, 0x4b, 0xff, 0xfe]), Buffer.from('a\0b')]) {
      const { file } = await withResult(content)
      assert.include((await admin().open(file)).text, 'The file is not text.')
    }
  })

  test('an empty file is shown as empty', async ({ assert }) => {
    const { file } = await withResult('')
    assert.include((await admin().open(file)).text, 'The file is empty.')
  })

  test('a download is saved under a harmless name and never shown', async ({ assert }) => {
    const content = '<script>alert(1)</script>'
    const { file } = await withResult(content, '../evil\u202e<b>.html')
    const { status, headers, text } = await admin().open(`${file}/download`)
    assert.equal(status, 200)
    assert.equal(text, content)
    assert.equal(headers.get('content-type'), 'application/octet-stream')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
    assert.equal(headers.get('content-length'), String(content.length))
    const disposition = headers.get('content-disposition')!
    assert.match(disposition, /^attachment; filename=/)
    assert.notMatch(disposition, /[/\u202e]/)
  })

  test('a download can be resumed', async ({ assert }) => {
    const { file } = await withResult('0123456789')
    const visitor = admin()
    const response = await fetch(at('console', `${file}/download`), {
      headers: { ...visitor.headers, range: 'bytes=4-' },
    })
    assert.equal(response.status, 206)
    assert.equal(response.headers.get('content-range'), 'bytes 4-9/10')
    assert.equal(await response.text(), '456789')
  })

  test('members of another realm get no file and no name of one', async ({ assert }) => {
    const { path, file } = await withResult('secret', 'secret-name.csv')
    const stranger = ConsoleVisitor.as({ realmId: REALMS.other, realmName: 'site' })
    for (const address of [path, `${path}/files`]) {
      const { status, text } = await stranger.open(address)
      assert.equal(status, 200)
      assert.notInclude(text, 'secret-name', address)
    }
    for (const address of [file, `${file}/download`]) {
      const { status, text } = await stranger.open(address)
      assert.equal(status, 403)
      assert.notInclude(text, 'secret')
    }
  })
})

import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { BucketTars } from '#worker/analysis_builder/bucket_tars'
import { codeOf } from '#worker/analysis_builder/code_files'
import { json, startPlatform } from '#tests/helpers/worker/start_platform'

const ANALYSIS = '6b1f0b5e-1111-4000-8000-000000000001'
const BUCKET = '6b1f0b5e-1111-4000-8000-000000000002'
const OTHER_BUCKET = '6b1f0b5e-1111-4000-8000-000000000004'
const RECORD = '6b1f0b5e-1111-4000-8000-000000000003'

type Fields = Record<string, any>

/** The code of an analysis in core and storage. */
class Scene {
  known: Fields[]
  stored: Fields[]
  /** Files in an additional bucket. */
  storedElsewhere: Fields[] = []
  /** The content digest that core reports, if it does. */
  digest: string | undefined
  total: number | undefined
  /** Delays the file list of storage. */
  listed: Promise<void> | undefined
  readonly tarAsked = Promise.withResolvers<void>()

  constructor(count: number) {
    const ids = Array.from({ length: count }, () => randomUUID())
    this.known = ids.map((bucketFileId, n) => ({
      bucketFileId,
      path: `lib/part-${n}.py`,
      root: n === 0,
    }))
    this.stored = ids.map((id, n) => ({ id, path: `lib/part-${n}.py`, size: n }))
  }

  /** Some platforms only support pages. */
  async code(
    cleanup: (after: () => void) => void,
    { tellsAll: hasFileEndpoint = true, content = undefined as string | undefined } = {}
  ) {
    const { platform, asked: requests } = await startPlatform((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://platform')
      const offset = Number(searchParams.get('page[offset]'))
      const page = (records: Fields[]) =>
        json(response, {
          data: records.slice(offset, offset + 50),
          meta: { total: records.length },
        })
      switch (pathname) {
        case `/core/analyses/${ANALYSIS}/code`:
          return this.#all(
            hasFileEndpoint,
            { bucketId: BUCKET, files: this.known, digest: this.digest },
            response
          )
        case `/storage/buckets/${BUCKET}/files`:
          return void this.#whenListed(() =>
            this.#all(hasFileEndpoint, { files: this.stored }, response)
          )
        case `/storage/buckets/${OTHER_BUCKET}/files`:
          return this.#all(hasFileEndpoint, { files: this.storedElsewhere }, response)
        case `/storage/buckets/${BUCKET}/stream`:
          this.tarAsked.resolve()
          return json(response, {}, 404)
        case '/core/analysis-buckets':
          return page([{ id: RECORD, type: 'CODE', bucketId: BUCKET }])
        case '/core/analysis-bucket-files':
          return page(this.known.map((file) => ({ ...file, id: RECORD })))
        case '/storage/bucket-files':
          return page(this.stored.map((file) => ({ ...file, name: 'a name' })))
        default:
          return json(response, {}, 404)
      }
    }, cleanup)
    const tars = new BucketTars(platform)
    return { code: await codeOf(platform, ANALYSIS, tars, content), asked: requests, tars }
  }

  async #whenListed(report: () => void): Promise<void> {
    await this.listed
    report()
  }

  #all(hasFileEndpoint: boolean, content: Fields, response: Parameters<typeof json>[0]): void {
    const total = this.total ?? content.files.length
    json(response, { data: { ...content, total }, meta: {} }, hasFileEndpoint ? 200 : 404)
  }
}

test.group('The code of a build', () => {
  test('the code is the same with and without the endpoint for all files: {$self}')
    .with([true, false])
    .run(async ({ assert, cleanup }, hasFileEndpoint) => {
      const scene = new Scene(120)
      const { code, asked: requests } = await scene.code(cleanup, { tellsAll: hasFileEndpoint })
      assert.equal(code.bucketId, BUCKET)
      assert.equal(code.entrypoint, 'lib/part-0.py')
      assert.equal(code.bytes, (119 * 120) / 2)
      assert.deepEqual(
        code.files.map(({ path, size }) => [path, size]),
        scene.stored.map(({ path, size }) => [path, size])
      )
      const forTar = `/storage/buckets/${BUCKET}/stream`
      assert.lengthOf(
        requests.filter((path) => path !== forTar),
        hasFileEndpoint ? 2 : 9
      )
    })

  test('the code is signed only if the command names it, unless the platform names none itself', async ({
    assert,
    cleanup,
  }) => {
    const scene = new Scene(1)
    const [content, another] = ['a'.repeat(64), 'b'.repeat(64)]
    assert.lengthOf((await scene.code(cleanup)).code.files, 1)
    scene.digest = content
    assert.lengthOf((await scene.code(cleanup, { content })).code.files, 1)
    for (const named of [another, undefined]) {
      await assert.rejects(() => scene.code(cleanup, { content: named }), /^The analysis changed/)
    }
  })

  test('the code comes from all buckets of the analysis, with unique paths', async ({
    assert,
    cleanup,
  }) => {
    const scene = new Scene(2)
    const id = randomUUID()
    const added = { bucketFileId: id, bucketId: OTHER_BUCKET, path: 'lib/added.py', root: false }
    scene.known.push(added)
    scene.storedElsewhere = [{ id, path: 'lib/added.py', size: 7 }]
    const { code } = await scene.code(cleanup)
    assert.deepEqual(
      code.files.map(({ path }) => path),
      ['lib/part-0.py', 'lib/part-1.py', 'lib/added.py']
    )
    for (const file of [added, scene.storedElsewhere[0]!]) {
      file.path = 'lib/part-1.py'
    }
    await assert.rejects(
      () => scene.code(cleanup),
      /^Two buckets of the analysis have a file "lib\/part-1.py"/
    )
  })

  test('the code is prefetched before storage lists it: {files} files, {tars} requests')
    .with([
      { files: 7, tars: 0 },
      { files: 8, tars: 1 },
    ])
    .run(async ({ assert, cleanup }, expected) => {
      const scene = new Scene(expected.files)
      scene.listed = expected.tars > 0 ? scene.tarAsked.promise : undefined
      const { asked: requests, tars } = await scene.code(cleanup)
      const forTar = `/storage/buckets/${BUCKET}/stream`
      assert.lengthOf(
        requests.filter((path) => path === forTar),
        expected.tars
      )
      tars.release()
    })

  test('the code must be stored as the analysis lists it: {what}')
    .with([
      {
        what: 'a file under another path',
        change: ({ stored }: Scene) => (stored[1]!.path = 'lib/other.py'),
        message: '"lib/part-1.py" is stored under another path than the analysis lists',
      },
      {
        what: 'a file that is gone',
        change: ({ stored }: Scene) => stored.pop(),
        message: '"lib/part-2.py" is stored under another path than the analysis lists',
      },
      {
        what: 'a file nobody knows of',
        change: ({ known }: Scene) => known.pop(),
        message: '"lib/part-2.py" is stored, but not a file of the analysis',
      },
      {
        what: 'a file without a size',
        change: ({ stored }: Scene) => (stored[1]!.size = null),
        message: '"lib/part-1.py" is stored without its size; upload it again',
      },
      {
        what: 'nothing to start with',
        change: ({ known }: Scene) => (known[0]!.root = false),
        message: 'The analysis has no entrypoint among its files',
      },
      {
        what: 'more files than are told',
        change: (scene: Scene) => (scene.total = 50_001),
        message: 'The analysis has more than 50000 files',
      },
    ])
    .run(async ({ assert, cleanup }, { change, message }) => {
      const scene = new Scene(3)
      change(scene)
      await assert.rejects(() => scene.code(cleanup), message)
    })
})

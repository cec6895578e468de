import { createHash } from 'node:crypto'

import { test } from '@japa/runner'

import { fileBytes } from '#worker/analysis_builder/file_bytes'
import {
  PlatformUnavailable,
  PlatformRequestRejected,
  PlatformResponseInvalid,
} from '#worker/platform/platform_errors'
import { json, startPlatform } from '#tests/helpers/worker/start_platform'

const ID = '6b1f0b5e-1111-4000-8000-000000000001'
const OTHER = '6b1f0b5e-1111-4000-8000-000000000002'

test.group('Requests of the worker to the platform', () => {
  test('requests use the queries that all platforms support', async ({ assert, cleanup }) => {
    const { platform, asked: requests } = await startPlatform((_request, response) => {
      json(response, { data: [], meta: { total: 0 } })
    }, cleanup)
    await platform.codeBucket(ID)
    await platform.files(ID)
    await platform.analysisNodes(ID)
    await platform.nodes([ID, OTHER])
    const queries = requests.map((url) => url.replace('&codec=url-expression', ''))
    assert.deepEqual(queries, [
      `/core/analysis-buckets?filter=and(eq(analysisId,'${ID}'),eq(type,'CODE'))`,
      `/core/analysis-bucket-files?filter=eq(analysisBucketId,'${ID}')&page[limit]=50`,
      `/core/analysis-nodes?filter=eq(analysisId,'${ID}')&page[limit]=50`,
      `/core/nodes?filter=in(id,'${ID}','${OTHER}')&include=registryProject&page[limit]=50`,
    ])
  })

  test('requests read all pages of a list', async ({ assert, cleanup }) => {
    const all = Array.from({ length: 120 }, (_, n) => ({
      id: `6b1f0b5e-1111-4000-8000-${String(n).padStart(12, '0')}`,
      path: `file-${n}`,
      root: false,
      bucketFileId: OTHER,
    }))
    const { platform, asked: requests } = await startPlatform((request, response) => {
      const offset = Number(new URL(request.url!, 'http://x').searchParams.get('page[offset]'))
      json(response, { data: all.slice(offset, offset + 50), meta: { total: 120 } })
    }, cleanup)
    const found = await platform.files(ID)
    assert.deepEqual(
      found.map(({ path }) => path),
      all.map(({ path }) => path)
    )
    assert.lengthOf(requests, 3)
  })

  test('renew a rejected token, and retry while the platform is unavailable', async ({
    assert,
    cleanup,
  }) => {
    let count = 0
    const { platform, tokens } = await startPlatform((_request, response) => {
      count++
      if (count <= 2) {
        return json(response, {}, count === 1 ? 401 : 503)
      }
      json(response, { id: ID, virtualPath: 'python/base' })
    }, cleanup)
    const image = await platform.masterImage(ID)
    assert.equal(image!.virtualPath, 'python/base')
    assert.lengthOf(tokens, 2)
    assert.equal(count, 3)
  })

  test('requests fail with errors that name the cause', async ({ assert, cleanup }) => {
    const answers: Record<string, [number, unknown]> = {
      away: [500, {}],
      refused: [403, {}],
      strange: [200, { id: 7 }],
      missing: [404, {}],
    }
    let answer = answers.away!
    const { platform } = await startPlatform((_request, response) => {
      json(response, answer[1], answer[0])
    }, cleanup)
    await assert.rejects(() => platform.analysis(ID), PlatformUnavailable as never)
    answer = answers.refused!
    await assert.rejects(() => platform.analysis(ID), PlatformRequestRejected as never)
    answer = answers.strange!
    await assert.rejects(() => platform.analysis(ID), PlatformResponseInvalid as never)
    answer = answers.missing!
    assert.isUndefined(await platform.analysis(ID))
  })

  test('requests resume a broken file, and verify it as a whole', async ({ assert, cleanup }) => {
    const whole = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251))
    const digest = createHash('sha256').update(whole).digest('base64')
    const ranges: (string | undefined)[] = []
    const { platform } = await startPlatform((request, response) => {
      const { range } = request.headers
      ranges.push(range)
      const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0)
      response.writeHead(range ? 206 : 200, {
        'content-length': whole.length - from,
        'repr-digest': `sha-256=:${digest}:`,
      })
      if (ranges.length < 3) {
        response.write(whole.subarray(from, from + 100_000), () => response.destroy())
      } else {
        response.end(whole.subarray(from))
      }
    }, cleanup)
    const file = { bucketFileId: ID, path: 'large.bin', size: whole.length, sha256: undefined }
    const read = Buffer.concat(await Array.fromAsync(fileBytes(platform, file)))
    assert.isTrue(read.equals(whole))
    assert.lengthOf(ranges, 3)
    await assert.rejects(
      () => Array.fromAsync(fileBytes(platform, { ...file, size: 10 })),
      '"large.bin" differs from the stored digest'
    )
  })
})

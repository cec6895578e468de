import { test } from '@japa/runner'

import {
  contentRange,
  entityTag,
  decideDownload,
  type ConditionalHeaders,
  type DownloadDecision,
} from '#storage/downloads/download_decision'

const etag = entityTag('f00d')
const modifiedAt = new Date('2021-02-03T04:05:06.789Z')
const MODIFIED = 'Wed, 03 Feb 2021 04:05:06 GMT'
const EARLIER = 'Wed, 03 Feb 2021 04:05:05 GMT'
const LATER = 'Wed, 03 Feb 2021 04:05:07 GMT'
const SIZE = 1000

const verdict = (headers: ConditionalHeaders, method = 'GET', size = SIZE): DownloadDecision =>
  decideDownload(method, headers, { size, etag, modifiedAt })

const part = (start: number, end: number): DownloadDecision => ({
  status: 206,
  range: { start, end },
})

test.group('Byte ranges of downloads', () => {
  test('{range} of 1000 bytes')
    .with([
      { range: 'bytes=0-0', is: part(0, 0) },
      { range: 'bytes=0-', is: part(0, 999) },
      { range: 'bytes=10-19', is: part(10, 19) },
      { range: 'bytes=990-2000', is: part(990, 999) },
      { range: 'bytes=-1', is: part(999, 999) },
      { range: 'bytes=-5000', is: part(0, 999) },
      { range: ' Bytes = 1 - 2 ', is: part(1, 2) },
      { range: 'bytes=1000-', is: { status: 416 } },
      { range: 'bytes=1000-1001', is: { status: 416 } },
      { range: 'bytes=-0', is: { status: 416 } },
      { range: 'bytes=99999999999999999999-', is: { status: 416 } },
      { range: 'bytes=5-4', is: { status: 200 } },
      { range: 'bytes=-', is: { status: 200 } },
      { range: 'bytes=a-b', is: { status: 200 } },
      { range: 'bytes=0-1,5-6', is: { status: 200 } },
      { range: 'lines=0-1', is: { status: 200 } },
      { range: '', is: { status: 200 } },
    ] as { range: string; is: DownloadDecision }[])
    .run(({ assert }, { range, is }) => {
      assert.deepEqual(verdict({ range }), is)
    })

  test('an empty file has no satisfiable range', ({ assert }) => {
    assert.deepEqual(verdict({ range: 'bytes=0-' }, 'GET', 0), { status: 416 })
    assert.deepEqual(verdict({ range: 'bytes=-1' }, 'GET', 0), { status: 416 })
    assert.deepEqual(verdict({}, 'GET', 0), { status: 200 })
  })

  test('HEAD knows no ranges', ({ assert }) => {
    assert.deepEqual(verdict({ range: 'bytes=0-0' }, 'HEAD'), { status: 200 })
  })

  test('a part is sent only of the version that is meant', ({ assert }) => {
    const range = 'bytes=0-1'
    for (const same of [etag, MODIFIED]) {
      assert.deepEqual(verdict({ range, 'if-range': same }), part(0, 1), same)
    }
    for (const other of ['"beef"', `W/${etag}`, EARLIER, LATER, 'nonsense', '']) {
      assert.deepEqual(verdict({ range, 'if-range': other }), { status: 200 }, other)
    }
  })

  test('the header names the part, or the size where there is none', ({ assert }) => {
    assert.equal(contentRange(SIZE, { start: 1, end: 2 }), 'bytes 1-2/1000')
    assert.equal(contentRange(SIZE), 'bytes */1000')
  })
})

test.group('Conditional requests', () => {
  test('what is known already is not sent again', ({ assert }) => {
    const unchanged = [etag, `W/${etag}`, `"beef", ${etag}`, '*']
    for (const tag of unchanged) {
      assert.deepEqual(verdict({ 'if-none-match': tag }), { status: 304 }, tag)
      assert.deepEqual(verdict({ 'if-none-match': tag }, 'HEAD'), { status: 304 }, tag)
    }
    for (const tag of ['"beef"', 'f00d', '', entityTag('f00d', 'gzip')]) {
      assert.deepEqual(verdict({ 'if-none-match': tag }), { status: 200 }, tag)
    }
    assert.deepEqual(verdict({ 'if-modified-since': MODIFIED }), { status: 304 })
    assert.deepEqual(verdict({ 'if-modified-since': LATER }), { status: 304 })
    assert.deepEqual(verdict({ 'if-modified-since': EARLIER }), { status: 200 })
    assert.deepEqual(verdict({ 'if-modified-since': 'yesterday' }), { status: 200 })
  })

  test('a version that is not the expected one is refused', ({ assert }) => {
    for (const match of [etag, '*', `"beef", ${etag}`]) {
      assert.deepEqual(verdict({ 'if-match': match }), { status: 200 }, match)
    }
    for (const match of ['"beef"', `W/${etag}`, '']) {
      assert.deepEqual(verdict({ 'if-match': match }), { status: 412 }, match)
    }
    assert.deepEqual(verdict({ 'if-unmodified-since': EARLIER }), { status: 412 })
    assert.deepEqual(verdict({ 'if-unmodified-since': MODIFIED }), { status: 200 })
    assert.deepEqual(verdict({ 'if-unmodified-since': 'yesterday' }), { status: 200 })
  })

  test('tags count before dates, conditions before ranges', ({ assert }) => {
    assert.deepEqual(verdict({ 'if-none-match': '"beef"', 'if-modified-since': LATER }), {
      status: 200,
    })
    assert.deepEqual(verdict({ 'if-match': etag, 'if-unmodified-since': EARLIER }), { status: 200 })
    assert.deepEqual(verdict({ 'if-match': '"beef"', 'if-none-match': etag }), { status: 412 })
    assert.deepEqual(verdict({ 'if-none-match': etag, 'range': 'bytes=5000-' }), { status: 304 })
    assert.deepEqual(verdict({ 'if-match': '"beef"', 'range': 'bytes=0-1' }), { status: 412 })
  })
})

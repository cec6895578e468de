import { test } from '@japa/runner'

import { coreSettings } from '#core/core_settings'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'

import { call, database, Scene, set } from './analysis_scene.js'
import { useSettings } from '#tests/helpers/settings'

test.group('Content of an approved analysis', (group) => {
  let scene: Scene
  let analysis: Attributes
  let bucket: Attributes
  let code: Attributes
  let assigned: Attributes

  const send = (method: 'POST' | 'DELETE', path: string, body?: object) =>
    call(scene.researcher(), method, path, body)
  const change = (body: object) => send('POST', `/analyses/${analysis.id}`, body)
  const decide = (approvalStatus: string | null, { id } = assigned) =>
    call(scene.steward(), 'POST', `/analysis-nodes/${id}`, { approvalStatus })

  async function stored({ id } = assigned): Promise<{ status: string | null; digest: string }> {
    const { rows } = await database().query(
      'select approval_status as status, approved_digest as digest from analysis_nodes where id = $1',
      [id]
    )
    return rows[0]
  }

  const newFile = (values: object = {}, { id, bucketId } = bucket) =>
    send('POST', '/analysis-bucket-files', {
      path: `${clock.uuid()}.py`,
      bucketId,
      bucketFileId: clock.uuid(),
      analysisBucketId: id,
      ...values,
    })

  /** The events of withdrawn decisions of a node. */
  async function withdrawals({ id } = assigned): Promise<any[]> {
    const { rows } = await database().query(
      `select content->'change' as change from outbox
       where content->'change'->>'id' = $1 and (content->'change'->'diff')::jsonb ? 'contentChanged'
       order by position`,
      [id]
    )
    return rows.map(({ change: events }) => events)
  }

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis({ masterImageId: (await scene.image()).id })
    bucket = await scene.bucket(analysis)
    code = await scene.file(bucket, { path: 'main.py', root: true })
    assigned = await scene.assigned(analysis)
    assert202(await decide('approved'))
  })

  function assert202({ status, body }: { status: number; body: unknown }) {
    if (![201, 202].includes(status)) {
      throw new Error(`It was answered with ${status}: ${JSON.stringify(body)}`)
    }
  }

  test('an approval keeps the digest of what was approved, which no record shows', async ({
    assert,
  }) => {
    assert.match((await stored()).digest, /^[0-9a-f]{64}$/)
    const path = `/analysis-nodes/${assigned.id}`
    const { body } = await call(scene.steward(), 'GET', `${path}?fields=%2BapprovedDigest`)
    assert.notInclude(JSON.stringify(body), (await stored()).digest)
    assert202(await decide('rejected'))
    assert.isNull((await stored()).digest)
  })

  for (const how of ['contentDigest', 'If-Match'] as const) {
    test(`an approval is refused with both digests where ${how} names another content than there is now`, async ({
      assert,
    }) => {
      const seen = await fetch(at('core', `/analyses/${analysis.id}/content`), {
        headers: scene.steward().headers,
      })
      const { digest: approvedDigest } = ((await seen.json()) as any).data
      assert.equal(seen.headers.get('etag'), `"${approvedDigest}"`)
      const decideOn = async (version: string, approvalStatus: string) => {
        const response = await fetch(at('core', `/analysis-nodes/${assigned.id}`), {
          method: 'POST',
          headers: {
            ...scene.steward().headers,
            'content-type': 'application/json',
            ...(how === 'If-Match' && { 'if-match': version }),
          },
          body: JSON.stringify({
            approvalStatus,
            ...(how === 'contentDigest' && { contentDigest: version }),
          }),
        })
        return { status: response.status, body: (await response.json()) as any }
      }
      const version = how === 'If-Match' ? `"${approvedDigest}"` : approvedDigest
      assert202(await newFile())
      for (const approvalStatus of ['approved', 'rejected']) {
        const { status, body } = await decideOn(version, approvalStatus)
        assert.equal(status, 409)
        assert.equal(body.code, 'entity_conflict')
        assert.equal(body.issues[0].code, 'content_changed')
        const { contentDigest, currentDigest } = body.issues[0].meta
        assert.equal(contentDigest, approvedDigest)
        assert.notEqual(currentDigest, approvedDigest)
        assert.isNull((await stored()).status)
      }
      const again = await fetch(at('core', `/analyses/${analysis.id}/content`), {
        headers: { ...scene.steward().headers, 'if-none-match': `"${approvedDigest}"` },
      })
      const { digest: now } = ((await again.json()) as any).data
      assert202(await decideOn(how === 'If-Match' ? `W/"${now}"` : now, 'approved'))
      assert.deepEqual(await stored(), { status: 'approved', digest: now })
    })
  }

  test('an approval is refused where attribute and header name two contents, or an impossible one', async ({
    assert,
  }) => {
    const { digest } = await stored()
    for (const [header, body] of [
      [`"${digest}"`, { contentDigest: digest.replaceAll(/\d/g, 'f') }],
      [digest, {}],
      ['', {}],
      [`"${digest}", "${digest}"`, {}],
      ['*', { contentDigest: 'no digest' }],
    ] as const) {
      const response = await fetch(at('core', `/analysis-nodes/${assigned.id}`), {
        method: 'POST',
        headers: {
          ...scene.steward().headers,
          'content-type': 'application/json',
          'if-match': header,
        },
        body: JSON.stringify({ approvalStatus: 'rejected', ...body }),
      })
      assert.equal(response.status, 400)
    }
    assert.equal((await stored()).status, 'approved')
  })

  test('an approval has the content digest in its event, also without a digest in the request', async ({
    assert,
  }) => {
    const { rows } = await database().query(
      `select content->'change'->'diff' as diff from outbox
       where content->'change'->>'id' = $1 and content->'change'->>'change' = 'updated'
       order by position desc limit 1`,
      [assigned.id]
    )
    const { digest } = await stored()
    assert.deepEqual(rows[0].diff.approvedDigest, { next: digest, previous: null })
  })

  for (const [what, named, doIt] of [
    ['a file with code is added', 'files', () => newFile()],
    [
      'a file with code is renamed',
      'files',
      () => send('POST', `/analysis-bucket-files/${code.id}`, { path: 'other.py' }),
    ],
    [
      'a file with code is deleted',
      'files, entrypoint',
      () => send('DELETE', `/analysis-bucket-files/${code.id}`),
    ],
    ['its entry point is another file', 'files, entrypoint', () => newFile({ root: true })],
    [
      'it has no entry point any more',
      'entrypoint',
      () => send('POST', `/analysis-bucket-files/${code.id}`, { root: false }),
    ],
    [
      'its files with code go with their bucket',
      'files, entrypoint',
      () => send('DELETE', `/analysis-buckets/${bucket.id}`),
    ],
    [
      'it gets another image',
      'masterImageId',
      async () => change({ masterImageId: (await scene.image()).id }),
    ],
    [
      'its image is deleted',
      'masterImageId',
      () => call(scene.admin(), 'DELETE', `/master-images/${analysis.masterImageId}?force=true`),
    ],
    [
      'it is started with other arguments',
      'imageCommandArguments',
      () => change({ imageCommandArguments: [{ value: '--all' }] }),
    ],
  ] as const) {
    test(`an approval is withdrawn when ${what}, and subscribers receive that`, async ({
      assert,
    }) => {
      await set('analyses', analysis.id, { nodes: 1, nodes_approved: 1 })
      const { digest: previous } = await stored()
      assert202(await doIt())
      assert.deepEqual(await stored(), { status: null, digest: null } as never)
      assert.equal((await scene.read(analysis)).nodesApproved, 0)
      const events = await withdrawals()
      assert.lengthOf(events, 1)
      assert.deepEqual(events[0].diff, {
        approvalStatus: { next: null, previous: 'approved' },
        approvedDigest: { next: null, previous },
        contentChanged: { next: named, previous: null },
      })
      assert.isTrue(events[0].isLasting)
    })
  }

  test('an approval is withdrawn while the analysis is locked and built as well', async ({
    assert,
  }) => {
    await set('analyses', analysis.id, { configuration_locked: true, build_status: 'executed' })
    assert202(await send('DELETE', `/analysis-bucket-files/${code.id}`))
    assert.isNull((await stored()).status)
  })

  test('an approval stays when nothing changes that was approved', async ({ assert }) => {
    const before = await stored()
    const results = await scene.bucket(analysis, 'RESULT')
    assert202(await newFile({}, results))
    assert202(await change({ name: 'another-name', description: 'What it is about' }))
    assert202(await change({ masterImageId: analysis.masterImageId }))
    assert202(await send('POST', `/analysis-bucket-files/${code.id}`, { path: 'main.py' }))
    assert202(await send('DELETE', `/analysis-buckets/${results.id}`))
    assert.deepEqual(await stored(), before)
    assert.isEmpty(await withdrawals())
  })

  test('an approval can be repeated for the new content', async ({ assert }) => {
    const { digest } = await stored()
    assert202(await newFile())
    assert202(await decide('approved'))
    const again = await stored()
    assert.equal(again.status, 'approved')
    assert.notEqual(again.digest, digest)
  })

  test('an approval of an aggregator stays, and so does a rejection', async ({ assert }) => {
    const aggregator = await scene.assigned(analysis, 'approved')
    await set('nodes', aggregator.nodeId, { type: 'aggregator' })
    const rejecting = await scene.assigned(analysis, 'rejected')
    assert202(await newFile())
    assert.equal((await stored(aggregator)).status, 'approved')
    assert.equal((await stored(rejecting)).status, 'rejected')
    assert.isNull((await stored()).status)
  })

  test('an approval stays where approvals are skipped', async ({ assert, cleanup }) => {
    cleanup(useSettings(coreSettings, { skipsAnalysisApproval: true }))
    assert202(await newFile())
    assert.equal((await stored()).status, 'approved')
  })
})

import { test } from '@japa/runner'

import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { node } from '#core/nodes/node'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { clock } from '#kernel/clock'
import { storageSettings } from '#storage/storage_settings'
import { aBucket, aFile, person } from '#tests/functional/storage/storage_scene'
import { at } from '#tests/helpers/application'
import { sampleRecord } from '#tests/helpers/sample_records'
import { useSettings } from '#tests/helpers/settings'

type Person = ReturnType<typeof person>

const HOME = clock.uuid()
const AWAY = clock.uuid()
const ALL = ['bucket_create', 'bucket_update', 'bucket_delete', 'analysis_update', 'node_update']
const GRANTED = [[], ['bucket_update'], ['bucket_delete'], ALL]

async function statusOf(by: Person, method: string, path: string, body?: FormData) {
  const response = await fetch(at('storage', path), { method, headers: by.headers, body })
  const text = await response.text()
  return { status: response.status, text }
}

function upload(): FormData {
  const form = new FormData()
  form.append('file', new Blob(['content']), `${clock.uuid()}.txt`)
  return form
}

async function takePart(clientId: string, part: string): Promise<string> {
  const { id: nodeId } = await sampleRecord('core', node, { clientId })
  const { id, analysisId } = await sampleRecord('core', analysisNode, { nodeId })
  const pool = pools.for(databaseUrl('core'))
  const values = [id, part === 'open' ? null : part]
  await pool.query('update analysis_nodes set approval_status = $2 where id = $1', values)
  return analysisId as string
}

/** What each way to a bucket answers: reading and filling it and its files, then changing them. */
async function tried(by: Person, refId: string | null = null, type?: string) {
  const traits = { realmId: HOME, refType: refId && 'analysis', refId }
  const bucket = await aBucket(traits)
  if (type !== undefined) {
    const values = { bucketId: bucket.id, analysisId: refId, type }
    await sampleRecord('core', analysisBucket, values)
  }
  const { id: file } = await aFile(bucket.id, { realmId: HOME })
  const reached: Record<string, unknown> = {}
  for (const path of [
    `/buckets/${bucket.id}`,
    `/buckets/${bucket.id}?fields=id`,
    `/buckets/${bucket.id}/stream`,
    `/bucket-files/${file}`,
    `/bucket-files/${file}?include=bucket`,
    `/bucket-files/${file}/stream`,
  ]) {
    reached[path] = (await statusOf(by, 'GET', path)).status < 300
  }
  for (const path of [`/buckets?filter[id]=${bucket.id}`, `/bucket-files?filter[id]=${file}`]) {
    const { text } = await statusOf(by, 'GET', path)
    reached[path] = JSON.parse(text).meta.total === 1
  }
  const sent = await statusOf(by, 'POST', `/buckets/${bucket.id}/upload`, upload())
  const { status: uploaded } = sent
  const changed = [
    (await statusOf(by, 'POST', `/buckets/${bucket.id}`)).status,
    (await statusOf(by, 'DELETE', `/bucket-files/${file}`)).status,
    (await statusOf(by, 'DELETE', `/buckets/${bucket.id}`)).status,
  ].map((status) => status === 202)
  return { reached: Object.values(reached), uploads: uploaded === 201, uploaded, changed }
}

/** Who reaches a bucket of a realm: every verb, by where a caller is from, what it is and what it holds. */
export function storageMatrix(): void {
  test.group('Storage matrix', (group) => {
    group.setup(() => useSettings(storageSettings, { isRealmStrict: true }))

    for (const kind of ['user', 'client', 'robot'] as const) {
      for (const granted of GRANTED) {
        const holds = granted === ALL ? 'everything' : (granted[0] ?? 'nothing')
        for (const [where, make, reaches] of [
          ['another realm', () => person(AWAY, [...granted], { kind }), false],
          ['the realm', () => person(HOME, [...granted], { kind }), true],
          [
            'the master realm',
            () => person(AWAY, [...granted], { kind, realmName: 'master' }),
            true,
          ],
        ] as const) {
          test(`a ${kind} of ${where} that holds ${holds} ${reaches ? 'reaches' : 'does not reach'} a bucket`, async ({
            assert,
          }) => {
            const { reached, uploads, uploaded, changed } = await tried(make())
            assert.deepEqual(reached, Array(8).fill(reaches))
            assert.equal(uploads, reaches, String(uploaded))
            const updates = reaches && granted.includes('bucket_update')
            const deletes = reaches && granted.includes('bucket_delete')
            assert.deepEqual(changed, [updates, updates, deletes])
          })
        }
      }
    }

    for (const part of ['approved', 'rejected', 'open'] as const) {
      for (const granted of [[], ALL]) {
        test(`a client of another realm that holds ${granted.length === 0 ? 'nothing' : 'everything'} and whose node's part is ${part} ${part === 'approved' ? 'reaches' : 'does not reach'} the bucket of that analysis`, async ({
          assert,
        }) => {
          const by = person(AWAY, [...granted], { kind: 'client' })
          const analysisId = await takePart(by.actor.id, part)
          for (const type of ['RESULT', 'TEMP', 'CODE']) {
            const { reached, uploads, changed } = await tried(by, analysisId, type)
            assert.deepEqual(reached, Array(8).fill(part === 'approved'))
            assert.equal(uploads, part === 'approved' && type !== 'CODE')
            assert.deepEqual(changed, [false, false, false])
          }
          const other = await tried(by, clock.uuid())
          assert.deepEqual(other.reached, Array(8).fill(false))
        })
      }
    }
  })
}

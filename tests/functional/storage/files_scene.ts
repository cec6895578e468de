import { createHash } from 'node:crypto'
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

import { clock } from '#kernel/clock'
import { storagePool } from '#storage/database'
import { bucketLocation, type BucketLocation } from '#storage/objects/layout'
import { activeLayout, objectStore } from '#storage/objects/store'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'

export interface SentFile {
  path: string
  content: Uint8Array
}

export interface StoredFile {
  id: string
  name: string
  path: string
  directory: string
  hash: string
  size: number
  bucketId: string
  actorId: string
  actorType: string
  realmId: string | null
}

export const somebody = identity()

export type Somebody = ReturnType<typeof identity>

/** Creates a bucket over the API. */
export async function newBucket(owner: Somebody = somebody): Promise<string> {
  const response = await fetch(at('storage', '/buckets'), {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `bucket-${clock.uuid()}` }),
  })
  if (response.status !== 201) {
    throw new Error(await response.text())
  }
  return ((await response.json()) as { data: { id: string } }).data.id
}

export function formOf(files: readonly SentFile[]): FormData {
  const form = new FormData()
  files.forEach(({ path, content }, n) => {
    form.append(`file[${n}]`, new File([Buffer.from(content)], path), path)
  })
  return form
}

/** Sends files as browsers do. */
export async function upload(bucketId: string, files: readonly SentFile[], sender = somebody) {
  const response = await fetch(at('storage', `/buckets/${bucketId}/upload`), {
    method: 'POST',
    headers: sender.headers,
    body: formOf(files),
  })
  return { status: response.status, body: (await response.json()) as any }
}

/** Like `upload`, but must succeed. */
export async function uploaded(
  bucketId: string,
  files: readonly SentFile[],
  sender = somebody
): Promise<StoredFile[]> {
  const { status, body } = await upload(bucketId, files, sender)
  if (status !== 201) {
    throw new Error(JSON.stringify(body))
  }
  return body.data
}

export interface Answered {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** A request whose body the test sends in chunks. */
export function openRequest(
  path: string,
  headers: Record<string, string>,
  method = 'POST'
): { request: ClientRequest; answer: Promise<Answered> } {
  const request = httpRequest(at('storage', path), { method, headers, agent: false })
  const answer = new Promise<Answered>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', async (response) => {
      try {
        const body = await buffer(response)
        resolve({ status: response.statusCode!, headers: response.headers, body })
      } catch (error) {
        reject(error)
      }
    })
  })
  answer.catch(() => {})
  return { request, answer }
}

export async function callBucket(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET'
): Promise<Answered> {
  const { request, answer } = openRequest(path, { ...somebody.headers, ...headers }, method)
  request.end()
  return answer
}

export const BOUNDARY = 'a-boundary'

export const multipart = (sender = somebody) => ({
  ...sender.headers,
  'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
})

export const partHead = (path: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="f"; filename="${path}"\r\n\r\n`

export const LAST_BOUNDARY = `--${BOUNDARY}--\r\n`

/** The records and objects of a bucket. */
export async function remains(bucketId: string) {
  const store = await objectStore()
  const { container, prefix } = locationOf(bucketId)
  const count = async (table: string) => {
    const { rowCount } = await storagePool().query(`select 1 from ${table} where bucket_id = $1`, [
      bucketId,
    ])
    return rowCount
  }
  return {
    files: await count('bucket_files'),
    claims: await count('bucket_file_claims'),
    objects: (await Array.fromAsync(store.list(container, prefix))).length,
    unfinished: (await Array.fromAsync(store.unfinished(container, prefix))).length,
  }
}

export const NOTHING = { files: 0, claims: 0, objects: 0, unfinished: 0 }

export function locationOf(bucketId: string): BucketLocation {
  return bucketLocation(activeLayout(), bucketId)
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

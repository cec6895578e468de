import { randomBytes } from 'node:crypto'

import { exchange } from './exchange.js'

/** One of the candidates; `upload` and `download` are in MiB, `tar` in tars. */
export interface Candidate {
  upload(): Promise<void>
  download(): Promise<void>
  tar(): Promise<void>
  /** Makes room for the next upload. */
  clear(): Promise<void>
}

export const SMALL_FILES = 1_000
const SMALL_BYTES = 4_096
const SENT_AT_ONCE = 100
const PUT_AT_ONCE = 20

const chunk = randomBytes(1024 ** 2)
const small = randomBytes(SMALL_BYTES)
const names = Array.from({ length: SMALL_FILES }, (_, n) => `small-${String(n).padStart(4, '0')}`)

/** The platform, by the routes and with the login that everybody has. */
export async function platform(url: string, mib: number): Promise<Candidate> {
  const headers = { authorization: `Bearer ${await adminToken(url)}` }
  const large = await newBucket(url, headers)
  const many = await newBucket(url, headers)
  const batches = Array.from({ length: SMALL_FILES / SENT_AT_ONCE }, (_, n) =>
    names.slice(n * SENT_AT_ONCE, (n + 1) * SENT_AT_ONCE).map((name) => ({ name, pieces: [small] }))
  )
  await Promise.all(batches.map((files) => send(url, headers, many, files)))
  const chunks = Array.from({ length: mib }, () => chunk)
  let id = ''
  return {
    async upload() {
      id = await send(url, headers, large, [{ name: 'large.bin', pieces: chunks }])
    },
    async download() {
      const { bytes } = await exchange('GET', `${url}/storage/bucket-files/${id}/stream`, {
        headers,
      })
      requireAmount(bytes, mib * chunk.length)
    },
    async tar() {
      const { bytes } = await exchange('GET', `${url}/storage/buckets/${many}/stream`, { headers })
      requireAmount(bytes, TAR_BYTES)
    },
    async clear() {
      await exchange('DELETE', `${url}/storage/bucket-files/${id}`, { headers })
    },
  }
}

/** What the same copies take without a platform around them. */
export async function bare(url: string, mib: number): Promise<Candidate> {
  for (let start = 0; start < SMALL_FILES; start += PUT_AT_ONCE) {
    const some = names.slice(start, start + PUT_AT_ONCE)
    await Promise.all(
      some.map((name) => exchange('PUT', `${url}/files/${name}`, { body: [small] }))
    )
  }
  const body = Array.from({ length: mib }, () => chunk)
  return {
    async upload() {
      await exchange('PUT', `${url}/files/large`, { body })
    },
    async download() {
      const { bytes } = await exchange('GET', `${url}/files/large`)
      requireAmount(bytes, mib * chunk.length)
    },
    async tar() {
      const { bytes } = await exchange('POST', `${url}/tar`, { body: [Buffer.from(names.join())] })
      requireAmount(bytes, TAR_BYTES)
    },
    async clear() {},
  }
}

const TAR_BYTES = SMALL_FILES * (512 + SMALL_BYTES) + 1024
const BOUNDARY = 'a-boundary-as-browsers-write-it-0123456789'

interface SentObject {
  name: string
  pieces: readonly Buffer[]
}

type Headers = Record<string, string>

/** Sends files in one request; answers the id of the first. */
async function send(
  url: string,
  headers: Headers,
  bucket: string,
  files: SentObject[]
): Promise<string> {
  const body = files.flatMap(({ name, pieces: chunks }) => [
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="f"; filename="${name}"\r\n\r\n`
    ),
    ...chunks,
    Buffer.from('\r\n'),
  ])
  const { text } = await exchange('POST', `${url}/storage/buckets/${bucket}/upload`, {
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: [...body, Buffer.from(`--${BOUNDARY}--\r\n`)],
  })
  return JSON.parse(text).data[0].id
}

async function newBucket(url: string, headers: Headers): Promise<string> {
  const { text } = await exchange('POST', `${url}/storage/buckets`, {
    headers: { ...headers, 'content-type': 'application/json' },
    body: [Buffer.from(JSON.stringify({ name: 'benchmark' }))],
  })
  return JSON.parse(text).data.id
}

async function adminToken(url: string): Promise<string> {
  const login = { grant_type: 'password', username: 'admin', password: 'start123' }
  const { text } = await exchange('POST', `${url}/auth/token`, {
    headers: { 'content-type': 'application/json' },
    body: [Buffer.from(JSON.stringify(login))],
  })
  return JSON.parse(text).access_token
}

function requireAmount(bytes: number, wanted: number): void {
  if (bytes !== wanted) {
    throw new Error(`${bytes} bytes came back instead of ${wanted}`)
  }
}

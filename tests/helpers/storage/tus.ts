import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** A client that speaks tus, request by request. */
export interface Speaker {
  /** Base address of storage. */
  readonly base: string
  readonly headers: Record<string, string>
}

export interface TusAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: any
}

const BYTES = { 'content-type': 'application/offset+octet-stream' }

export const metadataFor = (filename: string) =>
  `filename ${Buffer.from(filename).toString('base64')}`

/** One request of the protocol. */
export async function tus(
  by: Speaker,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  bytes?: Uint8Array
): Promise<TusAnswer> {
  const request = open(by, method, path, headers)
  request.end(bytes)
  return answerTo(request)
}

/** Begins an upload and answers its path. */
export async function begin(
  by: Speaker,
  bucketId: string,
  filename: string,
  length: number
): Promise<string> {
  const answer = await tus(by, 'POST', `/buckets/${bucketId}/resumable`, {
    'upload-length': `${length}`,
    'upload-metadata': metadataFor(filename),
  })
  if (answer.status !== 201) {
    throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  }
  return pathOf(bucketId, answer)
}

/** The path that a relative Location means. */
export function pathOf(bucketId: string, { headers }: TusAnswer): string {
  const { pathname } = new URL(headers.location ?? '', `http://hub/buckets/${bucketId}/resumable`)
  return pathname
}

/** Sends bytes that belong at an offset. */
export async function patch(
  by: Speaker,
  path: string,
  offset: number,
  bytes: Uint8Array,
  headers: Record<string, string> = {}
): Promise<TusAnswer> {
  return tus(by, 'PATCH', path, { ...BYTES, 'upload-offset': `${offset}`, ...headers }, bytes)
}

/** Begins to send bytes and leaves the request open. */
export function openPatch(
  by: Speaker,
  path: string,
  offset: number,
  length: number,
  headers: Record<string, string> = {}
): ClientRequest {
  const extent = { 'upload-offset': `${offset}`, 'content-length': `${length}` }
  const request = open(by, 'PATCH', path, { ...BYTES, ...extent, ...headers })
  request.on('error', () => {})
  return request
}

/** Sends bytes and breaks off after some of them. */
export async function brokenPatch(
  by: Speaker,
  path: string,
  offset: number,
  bytes: Uint8Array,
  breakAfter: number
): Promise<void> {
  const request = openPatch(by, path, offset, bytes.length)
  await new Promise<void>((resolve) => {
    request.write(bytes.subarray(0, breakAfter), () => resolve())
    request.once('close', resolve)
  })
  request.destroy()
}

/** How many bytes of an upload are stored. */
export async function offsetOf(by: Speaker, path: string): Promise<number> {
  const { status, headers } = await tus(by, 'HEAD', path)
  if (status !== 200) {
    throw new Error(`The upload is answered with ${status}`)
  }
  return Number(headers['upload-offset'])
}

export async function answerTo(request: ClientRequest): Promise<TusAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
  })
  const text = String(await buffer(response))
  return {
    status: response.statusCode!,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

function open(
  { base, headers: own }: Speaker,
  method: string,
  path: string,
  headers: Record<string, string>
): ClientRequest {
  return httpRequest(base + path, {
    method,
    headers: { 'tus-resumable': '1.0.0', ...own, ...headers },
    agent: false,
  })
}

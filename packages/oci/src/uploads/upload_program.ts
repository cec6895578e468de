/**
 * Child process that sends upload requests and records the new URL of each upload on disk before it returns the
 * response. It reads a request in full before sending it, and outlives a crashed parent until all requests are
 * answered. Registries change the URL with every response and accept only the newest one, so the journal stays correct.
 *
 * It runs on its own and imports no other module. A request is its length, itself as JSON, and its body. A response is
 * a line of JSON.
 */
import { appendFileSync, read, rmSync, utimesSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestSecurely } from 'node:https'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'

import type { UploadResponse, UploadRequest } from './uploader.js'

const SOCKETS = { keepAlive: true, maxSockets: 16, scheduling: 'lifo' } as const
const TOUCH_EVERY_MS = 3_000
const STANDARD_INPUT = 0
const MIN_SPARE_BYTES = 64 * 1024
const MAX_SPARE = 3
const readInput = promisify(read)
const httpAgent = new Agent(SOCKETS)
const httpsAgent = new SecureAgent(SOCKETS)
const unverifiedAgent = new SecureAgent({ ...SOCKETS, rejectUnauthorized: false })

const inFlight = new Set<UploadRequest>()
const spare: Buffer[] = []
let isInputClosed = false

/** Ends with its parent, not with a signal to the process group. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {})
}
process.stdout.on('error', () => {})
setInterval(() => (inFlight.size > 0 ? touchNotes() : releaseSpare()), TOUCH_EVERY_MS)
for await (const { asked: upload, body } of readRequests()) {
  void handle(upload, body)
}
isInputClosed = true
endIfDone()

/** Ignores an incomplete request at the end of the input. */
async function* readRequests(): AsyncGenerator<{ asked: UploadRequest; body: Buffer }> {
  const length = Buffer.alloc(4)
  while (await readFully(length)) {
    const head = Buffer.alloc(length.readUInt32BE())
    if (!(await readFully(head))) {
      return
    }
    const upload = JSON.parse(head.toString()) as UploadRequest
    const body = allocate(upload.length)
    if (!(await readFully(body))) {
      return
    }
    yield { asked: upload, body }
  }
}

/** Fills the buffer. Returns false at the end of the input. */
async function readFully(bytes: Buffer): Promise<boolean> {
  for (let count = 0; count < bytes.length;) {
    const { bytesRead } = await readInput(STANDARD_INPUT, bytes, count, bytes.length - count, null)
    if (bytesRead === 0) {
      return false
    }
    count += bytesRead
  }
  return true
}

/** Most chunks have the same size, so buffers are reused instead of garbage collected. */
function allocate(length: number): Buffer {
  const index = length < MIN_SPARE_BYTES ? -1 : spare.findIndex((one) => one.length >= length)
  const [reused = Buffer.allocUnsafeSlow(length)] = index === -1 ? [] : spare.splice(index, 1)
  return reused.subarray(0, length)
}

async function handle(upload: UploadRequest, body: Buffer): Promise<void> {
  inFlight.add(upload)
  const result = await send(upload, body).catch((error: Error): UploadResponse => {
    return { id: upload.id, problem: error.message }
  })
  process.stdout.write(`${JSON.stringify(result)}\n`)
  inFlight.delete(upload)
  endIfDone()
}

async function send(upload: UploadRequest, bytes: Buffer): Promise<UploadResponse> {
  const { response, isSent } = await forward(upload, bytes)
  recordProgress(upload, response)
  const body = await buffer(response)
  if (isSent() && bytes.length >= MIN_SPARE_BYTES && spare.length < MAX_SPARE) {
    spare.push(Buffer.from(bytes.buffer))
  }
  const { statusCode: status = 0, headers } = response
  return { id: upload.id, status, headers, body: body.toString('base64') }
}

function recordProgress(
  { method, url, startUrl, note }: UploadRequest,
  { statusCode, headers }: IncomingMessage
): void {
  if (statusCode === 202 && headers.location !== undefined) {
    const line = { begun: startUrl, at: new URL(headers.location, url).href }
    appendFileSync(note, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  } else if (method === 'PUT' && (statusCode === 201 || statusCode === 204)) {
    rmSync(note, { force: true })
  }
}

function forward(
  { method, url: address, headers, idleMs, isVerified, addresses }: UploadRequest,
  body: Buffer
): Promise<{ response: IncomingMessage; isSent: () => boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    response: IncomingMessage
    isSent: () => boolean
  }>()
  const url = new URL(address)
  const isSecure = url.protocol === 'https:'
  const outgoing = (isSecure ? requestSecurely : request)(url, {
    method,
    headers: { ...headers, 'content-length': body.length },
    agent: isSecure ? (isVerified ? httpsAgent : unverifiedAgent) : httpAgent,
    ...(addresses && { lookup: lookupIn(addresses) }),
  })
  outgoing.setTimeout(idleMs, () => {
    outgoing.destroy(new Error(`${url.host} sent nothing for ${idleMs} ms`))
  })
  outgoing.on('error', reject)
  const isSent = () => outgoing.writableFinished
  outgoing.on('response', (response) => resolve({ response, isSent }))
  outgoing.end(body)
  return promise
}

/** The addresses were resolved and checked by the parent. */
function lookupIn(addresses: readonly LookupAddress[]): LookupFunction {
  const [{ address, family }] = addresses as [LookupAddress]
  return (_, { all }, done) => (all ? done(null, [...addresses]) : done(null, address, family))
}

function touchNotes(): void {
  const now = new Date()
  for (const { note } of inFlight) {
    try {
      utimesSync(note, now, now)
    } catch {
      // Not written yet, or already removed.
    }
  }
}

/** No upload is in progress: frees the spare buffers. */
function releaseSpare(): void {
  if (spare.splice(0).length > 0) {
    globalThis.gc?.()
  }
}

function endIfDone(): void {
  if (isInputClosed && inFlight.size === 0) {
    process.exit(0)
  }
}

/**
 * A program that asks what belongs to uploads for the process that started it, and notes on disk where each upload is before it passes an answer on. It
 * has each question whole before it asks it, and outlives a process that is killed until all are answered: whatever that was at, it is known where its
 * uploads are. Registries tell a new address with every answer, and know an upload by its newest one only.
 *
 * It is run as it is, so it imports nothing of ours. A question is its length, itself as JSON and its body; an answer is a line of JSON.
 */
import { appendFileSync, read, rmSync, utimesSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestSecurely } from 'node:https'
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'

import type { Answered, Asked } from './uploader.js'

const SOCKETS = { keepAlive: true, maxSockets: 16, scheduling: 'lifo' } as const
const TOUCH_EVERY_MS = 3_000
const STANDARD_INPUT = 0
const SPARED_BYTES = 64 * 1024
const MOST_SPARE = 3
const readSome = promisify(read)
const clear = new Agent(SOCKETS)
const secure = new SecureAgent(SOCKETS)
const unverified = new SecureAgent({ ...SOCKETS, rejectUnauthorized: false })

const underWay = new Set<Asked>()
const spare: Buffer[] = []
let isLeft = false

/** It ends with the one who started it, and not when a whole group of processes is told to. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {})
}
process.stdout.on('error', () => {})
setInterval(() => (underWay.size > 0 ? touchNotes() : makeRoom()), TOUCH_EVERY_MS)
for await (const { asked, body } of questions()) {
  void take(asked, body)
}
isLeft = true
endIfDone()

/** What of a question had come when the other side ended was not asked. */
async function* questions(): AsyncGenerator<{ asked: Asked; body: Buffer }> {
  const length = Buffer.alloc(4)
  while (await filled(length)) {
    const head = Buffer.alloc(length.readUInt32BE())
    if (!(await filled(head))) {
      return
    }
    const asked = JSON.parse(head.toString()) as Asked
    const body = room(asked.length)
    if (!(await filled(body))) {
      return
    }
    yield { asked, body }
  }
}

/** Reads as much as there is room for; false where that does not come any more. */
async function filled(bytes: Buffer): Promise<boolean> {
  for (let count = 0; count < bytes.length;) {
    const { bytesRead } = await readSome(STANDARD_INPUT, bytes, count, bytes.length - count, null)
    if (bytesRead === 0) {
      return false
    }
    count += bytesRead
  }
  return true
}

/** Most pieces have one size, and what one took serves the next: nobody waits for it to be collected. */
function room(length: number): Buffer {
  const index = length < SPARED_BYTES ? -1 : spare.findIndex((one) => one.length >= length)
  const [found = Buffer.allocUnsafeSlow(length)] = index === -1 ? [] : spare.splice(index, 1)
  return found.subarray(0, length)
}

async function take(asked: Asked, body: Buffer): Promise<void> {
  underWay.add(asked)
  const answered = await ask(asked, body).catch((error: Error): Answered => {
    return { id: asked.id, problem: error.message }
  })
  process.stdout.write(`${JSON.stringify(answered)}\n`)
  underWay.delete(asked)
  endIfDone()
}

async function ask(asked: Asked, bytes: Buffer): Promise<Answered> {
  const { response, isSent } = await answerTo(asked, bytes)
  noteDown(asked, response)
  const body = await buffer(response)
  if (isSent() && bytes.length >= SPARED_BYTES && spare.length < MOST_SPARE) {
    spare.push(Buffer.from(bytes.buffer))
  }
  const { statusCode: status = 0, headers } = response
  return { id: asked.id, status, headers, body: body.toString('base64') }
}

function noteDown(
  { method, url, begun, note }: Asked,
  { statusCode, headers }: IncomingMessage
): void {
  if (statusCode === 202 && headers.location !== undefined) {
    const line = { begun, at: new URL(headers.location, url).href }
    appendFileSync(note, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  } else if (method === 'PUT' && (statusCode === 201 || statusCode === 204)) {
    rmSync(note, { force: true })
  }
}

function answerTo(
  { method, url: address, headers, idleMs, isVerified, addresses }: Asked,
  body: Buffer
): Promise<{ response: IncomingMessage; isSent: () => boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    response: IncomingMessage
    isSent: () => boolean
  }>()
  const url = new URL(address)
  const isSecure = url.protocol === 'https:'
  const asking = (isSecure ? requestSecurely : request)(url, {
    method,
    headers: { ...headers, 'content-length': body.length },
    agent: isSecure ? (isVerified ? secure : unverified) : clear,
    ...(addresses && { lookup: lookupIn(addresses) }),
  })
  asking.setTimeout(idleMs, () => {
    asking.destroy(new Error(`${url.host} was silent for ${idleMs} ms`))
  })
  asking.on('error', reject)
  const isSent = () => asking.writableFinished
  asking.on('response', (response) => resolve({ response, isSent }))
  asking.end(body)
  return promise
}

/** The name was looked up before, and its addresses were looked at. */
function lookupIn(addresses: readonly LookupAddress[]): LookupFunction {
  const [{ address, family }] = addresses as [LookupAddress]
  return (_, { all }, done) => (all ? done(null, [...addresses]) : done(null, address, family))
}

function touchNotes(): void {
  const now = new Date()
  for (const { note } of underWay) {
    try {
      utimesSync(note, now, now)
    } catch {
      // It is not there yet, or not any more.
    }
  }
}

/** Nobody uploads now: what pieces took is given back. */
function makeRoom(): void {
  if (spare.splice(0).length > 0) {
    globalThis.gc?.()
  }
}

function endIfDone(): void {
  if (isLeft && underWay.size === 0) {
    process.exit(0)
  }
}

/**
 * A program that begins uploads for the process that started it, and notes on disk where each of them is before it passes that on. It outlives a
 * process that is killed, for as long as a registry takes to answer: no upload is begun of which nobody knows.
 *
 * It is run as it is, so it imports nothing of ours. Questions come in and answers go out as lines of JSON.
 */
import { appendFileSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestSecurely } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { createInterface } from 'node:readline'

import type { Opened, Opening } from './session_opening.js'

const SOCKETS = { keepAlive: true, maxSockets: 16, scheduling: 'lifo' } as const
const clear = new Agent(SOCKETS)
const secure = new SecureAgent(SOCKETS)
const unverified = new SecureAgent({ ...SOCKETS, rejectUnauthorized: false })

let underWay = 0
let isLeft = false

/** It ends with the one who started it, and not when a whole group of processes is told to. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {})
}
process.stdout.on('error', () => {})
createInterface({ input: process.stdin })
  .on('line', (line) => void take(JSON.parse(line)))
  .on('close', () => {
    isLeft = true
    endIfDone()
  })

async function take(opening: Opening): Promise<void> {
  underWay++
  const opened = await open(opening).catch((error: Error): Opened => {
    return { id: opening.id, problem: error.message }
  })
  process.stdout.write(`${JSON.stringify(opened)}\n`)
  underWay--
  endIfDone()
}

async function open({ id, url, headers, idleMs, isVerified, note }: Opening): Promise<Opened> {
  const response = await answered(new URL(url), headers, idleMs, isVerified)
  const { statusCode: status = 0, headers: said } = response
  if (status === 202 && said.location !== undefined) {
    const at = new URL(said.location, url).href
    appendFileSync(note, `${JSON.stringify({ asked: url, at })}\n`, { mode: 0o600 })
  }
  const body = await buffer(response)
  return { id, status, headers: said, body: body.toString('base64') }
}

function answered(
  url: URL,
  headers: Opening['headers'],
  idleMs: number,
  isVerified: boolean
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const isSecure = url.protocol === 'https:'
  const asking = (isSecure ? requestSecurely : request)(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': 0 },
    agent: isSecure ? (isVerified ? secure : unverified) : clear,
  })
  asking.setTimeout(idleMs, () => {
    asking.destroy(new Error(`${url.host} was silent for ${idleMs} ms`))
  })
  asking.on('error', reject)
  asking.on('response', resolve)
  asking.end()
  return promise
}

function endIfDone(): void {
  if (isLeft && underWay === 0) {
    process.exit(0)
  }
}

import { request as inClear } from 'node:http'
import { request as securely } from 'node:https'

const SIZE = 24 * 1024 * 1024
const CHUNK = Buffer.alloc(256 * 1024)
/** A server that rejects the announced length does so before the first byte. */
const EARLY_MS = 1_000
const LIMIT_MS = 15_000

/**
 * Announces a large body, sends it unless there is an early response, and resolves to the status.
 * Rejects if the connection ends without one.
 */
export function sendLargeBody(address: string): Promise<number> {
  const url = new URL(address)
  const request = url.protocol === 'https:' ? securely : inClear
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const outgoing = request(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': SIZE },
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  outgoing.on('error', reject)
  outgoing.flushHeaders()
  const timer = setTimeout(() => writeAll(outgoing), EARLY_MS)
  outgoing.on('response', (response) => {
    response.resume()
    resolve(response.statusCode!)
  })
  return promise.finally(() => {
    clearTimeout(timer)
    outgoing.on('error', () => {})
    outgoing.destroy()
  })
}

function writeAll(outgoing: ReturnType<typeof inClear>): void {
  let remaining = SIZE
  const write = () => {
    while (remaining > 0 && !outgoing.destroyed) {
      remaining -= CHUNK.length
      if (!outgoing.write(CHUNK)) {
        outgoing.once('drain', write)
        return
      }
    }
    outgoing.end()
  }
  write()
}

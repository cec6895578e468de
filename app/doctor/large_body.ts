import { request as inClear } from 'node:http'
import { request as securely } from 'node:https'

const SIZE = 24 * 1024 * 1024
const CHUNK = Buffer.alloc(256 * 1024)
/** Who refuses by what is announced does so before the first byte. */
const EARLY_MS = 1_000
const LIMIT_MS = 15_000

/**
 * Announces a large body to an address, and sends it where that is not answered at once. Answers the status; rejects where the
 * connection ends without one.
 */
export function sendLargeBody(address: string): Promise<number> {
  const url = new URL(address)
  const request = url.protocol === 'https:' ? securely : inClear
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const asking = request(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': SIZE },
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  asking.on('error', reject)
  asking.flushHeaders()
  const later = setTimeout(() => writeAll(asking), EARLY_MS)
  asking.on('response', (response) => {
    response.resume()
    resolve(response.statusCode!)
  })
  return promise.finally(() => {
    clearTimeout(later)
    asking.on('error', () => {})
    asking.destroy()
  })
}

function writeAll(asking: ReturnType<typeof inClear>): void {
  let left = SIZE
  const write = () => {
    while (left > 0 && !asking.destroyed) {
      left -= CHUNK.length
      if (!asking.write(CHUNK)) {
        asking.once('drain', write)
        return
      }
    }
    asking.end()
  }
  write()
}

/*
 * An analysis that fills its gateway up, in a thread of its own so that it does not delay the node of a test: requests
 * whose bodies never come, and then as many at once on one connection as it can write.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

export interface Flood {
  readonly socket: string
  readonly token: string
  readonly unfinished: number
  readonly pipelined: number
}

const { socket, token, unfinished, pipelined } = workerData as Flood
const head = (line: string, more = ''): string =>
  `${line} HTTP/1.1\r\nHost: nginx\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`

for (let count = 0; count < unfinished; count += 1) {
  const connection = connect(socket)
  connection.on('error', () => {})
  connection.write(head('POST /unfinished', 'Content-Length: 100000\r\n') + 'x'.repeat(1_000))
}
const flooding = connect(socket)
flooding.on('error', () => {})
flooding.on('close', () => parentPort!.postMessage('closed'))
flooding.resume()
const block = Buffer.from(head('GET /healthz').repeat(1_000))
for (let sent = 0; sent < pipelined && !flooding.destroyed; sent += 1_000) {
  if (!flooding.write(block)) {
    await Promise.race([once(flooding, 'drain'), once(flooding, 'close')]).catch(() => {})
  }
}

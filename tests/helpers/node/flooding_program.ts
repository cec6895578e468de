/*
 * An analysis that fills its gateway up, in a thread of its own so that it does not delay the node of a test: requests
 * whose bodies never come, as many at once on one connection as it can write, and a new connection for each request. What
 * its node requests of it is answered with informational answers without an end.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

export interface Flood {
  /** The port of the gateway. */
  readonly port: number
  readonly token: string
  readonly unfinished: number
  readonly pipelined: number
  /** Connections that are opened one after the other. */
  readonly reconnects: number
}

export type FloodMessage = { readonly listensAt: number } | { readonly isOver: true }

const post = (message: FloodMessage): void => parentPort!.postMessage(message)
const informational = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000))

const answering = createServer((socket) => {
  const write = (): void => {
    let takesMore = true
    while (takesMore && !socket.destroyed) {
      takesMore = socket.write(informational)
    }
  }
  socket.on('error', () => {})
  socket.on('drain', write)
  socket.once('data', write)
})
answering.listen(0, '127.0.0.1')
await once(answering, 'listening')
post({ listensAt: (answering.address() as AddressInfo).port })
const [flood] = (await once(parentPort!, 'message')) as [Flood]
const { port, token, unfinished, pipelined, reconnects } = flood
const head = (line: string, more = ''): string =>
  `${line} HTTP/1.1\r\nHost: nginx\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`

for (let count = 0; count < unfinished; count += 1) {
  const connection = connect(port, '127.0.0.1')
  connection.on('error', () => {})
  connection.write(head('POST /unfinished', 'Content-Length: 100000\r\n') + 'x'.repeat(1_000))
}
const flooding = connect(port, '127.0.0.1')
flooding.on('error', () => {})
flooding.resume()
const block = Buffer.from(head('GET /healthz').repeat(1_000))
for (let sent = 0; sent < pipelined && !flooding.destroyed; sent += 1_000) {
  if (!flooding.write(block)) {
    await Promise.race([once(flooding, 'drain'), once(flooding, 'close')]).catch(() => {})
  }
}
for (let count = 0; count < reconnects; count += 1) {
  const connection = connect(port, '127.0.0.1')
  connection.on('error', () => {})
  connection.write(head('GET /nothing'))
  await Promise.race([once(connection, 'connect'), once(connection, 'close')]).catch(() => {})
  connection.destroy()
}
post({ isOver: true })

/*
 * Runs in the network namespace of a container, and otherwise outside of it. It is a process of its own because a
 * process is in one network namespace. Imports only what Node.js brings, so that it starts without a loader.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'

const [gatewaySocket = '', gatewayPort, inboundSocket = '', analysisPort] = process.argv.slice(2)
const LOOPBACK = '127.0.0.1'
const MAX_CONNECTIONS = 512
const CLOSE_ON_EXEC = 0o2000000

/** Descriptors that the starting program inherited itself do not belong here. */
function closeInherited(): void {
  for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
    if (descriptor > 2 && !isOwn(descriptor)) {
      closeSync(descriptor)
    }
  }
}

function isOwn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))
    return (Number.parseInt(flags?.[1] ?? '', 8) & CLOSE_ON_EXEC) !== 0
  } catch {
    return true
  }
}

function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one)
  for (const [socket, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    socket.on('error', () => peer.destroy())
    socket.on('close', (hadError) => hadError && peer.destroy())
  }
}

async function forward(from: ListenOptions, to: () => Socket): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => join(socket, to()))
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(from, resolve)
  })
  return server
}

async function run(): Promise<void> {
  closeInherited()
  process.umask(0o077)
  const outbound = await forward({ host: LOOPBACK, port: Number(gatewayPort) }, () =>
    connect({ path: gatewaySocket, allowHalfOpen: true })
  )
  // The kernel shows the name that a socket was given to everybody in its network: without the folders of the node.
  process.chdir(dirname(inboundSocket))
  const inbound = await forward({ path: basename(inboundSocket) }, () =>
    connect({ host: LOOPBACK, port: Number(analysisPort), allowHalfOpen: true })
  )
  process.once('disconnect', () => {
    outbound.close()
    // Removes the socket file.
    inbound.close()
    setImmediate(() => process.exit())
  })
  const { port } = outbound.address() as { port: number }
  process.send!({ pid: process.pid, port })
}

run().catch((error: Error) => {
  process.send?.({ problem: error.message })
  process.disconnect()
})

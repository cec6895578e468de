import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One connection with one request, whose answer takes as long as it takes. */
export interface LastingWire {
  readonly socket: Socket
  /** Resolves with the next bytes that come. */
  next(): Promise<unknown>
}

/** Sends a request as it goes over the wire. */
export async function openLasting(origin: string, request: string): Promise<LastingWire> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname).setNoDelay(true)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(request)
  return { socket, next: () => once(socket, 'data') }
}

/** Opens so many, a few at a time. */
export async function openMany<Opened>(
  count: number,
  open: (index: number) => Promise<Opened>
): Promise<Opened[]> {
  const opened: Opened[] = []
  let next = 0
  const opener = async () => {
    while (next < count) {
      opened.push(await open(next++))
    }
  }
  await Promise.all(Array.from({ length: 50 }, opener))
  return opened
}

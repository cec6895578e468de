import type { ServerResponse } from 'node:http'

import type { Socket } from 'socket.io'

interface Packet {
  readonly type: string
  readonly data?: unknown
}

/** The websocket below a transport. */
interface Websocket {
  pause(): void
  resume(): void
  close(code: number, reason: string): void
  terminate(): void
}

interface Transport {
  readonly name: string
  /** Of a websocket. */
  readonly socket?: Websocket
  /** Of polling: the answer to the request that waits. */
  readonly res?: ServerResponse | null
  readonly parser: { decodePayload(payload: string): readonly Packet[] }
  once(event: 'drain', listener: () => void): void
  onData(payload: string): void
  onPacket(packet: Packet): void
  onClose(): void
}

/** A connection of the library below sockets, with what it keeps to itself. */
export interface EngineConnection {
  readonly transport: Transport
  readonly pingTimeoutTimer: NodeJS.Timeout | null
  on(event: 'packet' | 'packetCreate', listener: (packet: Packet) => void): void
  on(event: 'upgrade' | 'flush', listener: () => void): void
  once(event: 'close', listener: () => void): void
  sendPacket(type: 'ping'): void
  close(discard: boolean): void
}

/** The server of these connections, with what it keeps to itself. */
export interface EngineServer {
  readonly clients: Readonly<Record<string, EngineConnection | undefined>>
  readonly ws: { readonly options: object }
}

/** That of a socket, which it may share with others. */
export const connectionOf = ({ conn }: Socket): EngineConnection =>
  conn as unknown as EngineConnection

/** Bytes of what a packet carries. */
export function sizeOf({ data }: Packet): number {
  if (typeof data === 'string') {
    return Buffer.byteLength(data)
  }
  return ArrayBuffer.isView(data) ? data.byteLength : 0
}

/**
 * Has the packets of one polling request handled each after what follows from the one before, as those of a websocket are: else one that
 * leaves a namespace and one that enters it again are taken for the wrong order, and the connection is closed.
 */
export function handlePacketsInOrder({ transport }: EngineConnection): void {
  if (transport.name !== 'polling') {
    return
  }
  transport.onData = (payload) => {
    const packets = transport.parser.decodePayload(payload).values()
    const next = () => {
      const { value: packet } = packets.next()
      if (packet?.type === 'close') {
        transport.onClose()
      } else if (packet) {
        transport.onPacket(packet)
        process.nextTick(next)
      }
    }
    next()
  }
}

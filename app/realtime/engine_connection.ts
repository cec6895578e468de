import type { IncomingMessage, ServerResponse } from 'node:http'

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
  /** Set for websockets. */
  readonly socket?: Websocket
  /** Set for polling: the response of the pending request. */
  readonly res?: ServerResponse | null
  readonly parser: { decodePayload(payload: string): readonly Packet[] }
  once(event: 'drain', listener: () => void): void
  onData(payload: string): void
  onPacket(packet: Packet): void
  onClose(): void
}

/** An Engine.IO connection, with internals that its types do not declare. */
export interface EngineConnection {
  /** The first request. */
  readonly request: IncomingMessage
  readonly transport: Transport
  readonly pingTimeoutTimer: NodeJS.Timeout | null
  on(event: 'packet' | 'packetCreate', listener: (packet: Packet) => void): void
  on(event: 'upgrade' | 'flush', listener: () => void): void
  once(event: 'close', listener: () => void): void
  sendPacket(type: 'ping'): void
  close(discard: boolean): void
}

/** The Engine.IO server, with internals that its types do not declare. */
export interface EngineServer {
  readonly clients: Readonly<Record<string, EngineConnection | undefined>>
  readonly ws: { readonly options: object }
}

/** The connection of a socket. Several sockets may share it. */
export const connectionOf = ({ conn }: Socket): EngineConnection =>
  conn as unknown as EngineConnection

/** The payload size of a packet in bytes. */
export function sizeOf({ data }: Packet): number {
  if (typeof data === 'string') {
    return Buffer.byteLength(data)
  }
  return ArrayBuffer.isView(data) ? data.byteLength : 0
}

/**
 * Handles the packets of one polling request one after the other, as for websockets. Otherwise a client that leaves a
 * namespace and enters it again in one request is disconnected.
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

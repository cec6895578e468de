import { clock } from '#kernel/clock'
import { newId } from '#kernel/new_id'
import { MalformedMessage } from './errors.js'

export { MalformedMessage }

export interface Routing {
  readonly type: 'work' | 'pubSub'
  readonly key: string
}

export interface Metadata {
  /** Milliseconds since the epoch; events repeat that of the command they answer. */
  readonly timestamp: number
  readonly routing: Routing
  /** Correlates the events of a command with it. */
  readonly correlationId?: string
  /** Whether the message survives a restart of the broker; by default commands do and events do not. */
  readonly persistent?: boolean
  readonly [key: string]: unknown
}

/** A message on the bus: a command or an event. */
export interface Message {
  readonly id: string
  readonly type: string
  readonly data: Record<string, unknown>
  readonly metadata: Metadata
}

type Fields = Record<string, unknown>

const LARGEST_BYTES = 16 * 1024 * 1024
const LONGEST_NAME = 255
const PRINTABLE = /^[\x20-\x7e]+$/

/** Creates a message with a new id and timestamp. Events that answer it repeat its metadata. */
export function newMessage(
  routing: Routing,
  type: string,
  data: Record<string, unknown>,
  metadata: Fields = {}
): Message {
  return {
    id: newId(),
    type,
    data,
    metadata: { timestamp: clock.now(), ...metadata, routing },
  }
}

export function serializeMessage(message: Message): Buffer {
  return Buffer.from(JSON.stringify(message))
}

/**
 * Parses a message of a peer; throws if it is malformed. Missing or invalid metadata gets defaults, since no rule
 * depends on it.
 */
export function parseMessage(
  bytes: Uint8Array,
  defaultRouting: Routing = UNKNOWN_ROUTING
): Message {
  const { id, type, data, metadata } = fieldsOf('the message', parse(bytes))
  return {
    id: nameOf('id', id),
    type: nameOf('type', type),
    data: fieldsOf('data', data),
    metadata: metadataOf(fieldsOf('metadata', metadata), defaultRouting),
  }
}

const UNKNOWN_ROUTING: Routing = { type: 'work', key: '' }

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength > LARGEST_BYTES) {
    throw new MalformedMessage(`the message has more than ${LARGEST_BYTES} bytes`)
  }
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new MalformedMessage('the message is not UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedMessage('the message is not JSON')
  }
}

function fieldsOf(name: string, value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedMessage(`${name} is not an object`)
  }
  return value as Fields
}

function nameOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST_NAME || !PRINTABLE.test(value)) {
    throw new MalformedMessage(
      `${name} is not a text of 1 to ${LONGEST_NAME} printable ASCII characters`
    )
  }
  return value
}

function metadataOf(metadata: Fields, defaultRouting: Routing): Metadata {
  const { timestamp, routing, correlationId, persistent, ...others } = metadata
  return {
    ...others,
    timestamp: Number.isFinite(timestamp) ? (timestamp as number) : clock.now(),
    routing: isRouting(routing) ? routing : defaultRouting,
    ...(typeof correlationId === 'string' && { correlationId }),
    ...(typeof persistent === 'boolean' && { persistent }),
  }
}

function isRouting(value: unknown): value is Routing {
  const { type, key } = (value ?? {}) as Partial<Routing>
  return (type === 'work' || type === 'pubSub') && typeof key === 'string'
}

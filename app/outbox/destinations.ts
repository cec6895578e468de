import type { Bus } from '#bus/bus'
import type { Message } from '#bus/message'
import { resumeTrace } from '#tracing/tracing'
import type { Signals } from '#signals/signals'
import type { Destination } from './destination.js'
import type { ChangeContent, DestinationName, Entry } from './entry.js'
import { batched } from './batched.js'
import { emissionsOf, type Emission } from '#outbox/payloads/emissions'
import { auditMessage, domainMessage } from '#outbox/payloads/messages'
import { publicationsOf } from '#outbox/payloads/publications'
import { unsealCommand } from '#outbox/payloads/sealed_command'

type MessageTransport = Pick<Bus, 'publish' | 'isReady'>
type ChannelTransport = Pick<Signals, 'publish' | 'isReady'>

interface SocketTransport {
  emit(emissions: readonly Emission[]): Promise<void>
}

/** The transports of a process. */
export interface Transports {
  readonly bus: MessageTransport
  readonly signals: ChannelTransport
  /** Undefined if sockets are disabled: nothing is sent there. */
  readonly realtime: SocketTransport | undefined
}

/** The destinations of the relays of a process. */
export function createDestinations({ bus, signals, realtime }: Transports): Destination[] {
  return [
    busDestination(bus, 'audit', auditMessage),
    busDestination(bus, 'bus', (entry) => domainMessage(entry, changeIn(entry))),
    busDestination(bus, 'commands', commandIn),
    channelDestination(signals),
    ...(realtime ? [socketDestination(realtime, signals)] : []),
  ]
}

function busDestination(
  bus: MessageTransport,
  name: 'audit' | 'bus' | 'commands',
  messageOf: (entry: Entry) => Message
): Destination {
  return {
    name,
    get isReady() {
      return bus.isReady
    },
    deliver: async (entry) =>
      asStep(entry, name, () => bus.publish(messageOf(entry), entry.orderedBy)),
  }
}

function channelDestination(signals: ChannelTransport): Destination {
  const publish = batched((messages: Parameters<Signals['publish']>[0]) =>
    signals.publish(messages)
  )
  return {
    name: 'pubsub',
    get isReady() {
      return signals.isReady
    },
    deliver: async (entry) =>
      asStep(entry, 'pubsub', () => publish(publicationsOf(changeIn(entry)))),
  }
}

/** Sockets of other processes are reached through channels, so both are unavailable together. */
function socketDestination(realtime: SocketTransport, signals: ChannelTransport): Destination {
  const emit = batched((emissions: readonly Emission[]) => realtime.emit(emissions))
  return {
    name: 'sockets',
    get isReady() {
      return signals.isReady
    },
    deliver: async (entry) => asStep(entry, 'sockets', () => emit(emissionsOf(changeIn(entry)))),
  }
}

/** A step of the trace in which the entry was written. */
function asStep<T>(
  { content, queue }: Entry,
  destination: DestinationName,
  work: () => Promise<T>
): Promise<T> {
  const step = { name: `send ${queue ?? destination}`, kind: 'producer' } as const
  return resumeTrace(content.traceparent, step, work)
}

function changeIn({ content }: Entry): ChangeContent {
  if ('change' in content) {
    return content.change
  }
  throw new TypeError('Only changes of records are broadcast')
}

function commandIn({ content }: Entry): Message {
  if ('command' in content) {
    return unsealCommand(content)
  }
  throw new TypeError('Only commands are sent to a queue')
}

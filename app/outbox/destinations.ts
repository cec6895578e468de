import type { Bus } from '#bus/bus'
import type { Message } from '#bus/message'
import type { Signals } from '#signals/signals'
import type { Destination } from './destination.js'
import type { ChangeContent, Entry } from './entry.js'
import { batched } from './batched.js'
import { emissionsOf, type Emission } from '#outbox/payloads/emissions'
import { auditMessage, domainMessage } from '#outbox/payloads/messages'
import { publicationsOf } from '#outbox/payloads/publications'
import { unsealCommand } from '#outbox/payloads/sealed_command'

type Carrier = Pick<Bus, 'publish' | 'isReady'>
type Channels = Pick<Signals, 'publish' | 'isReady'>

interface Sockets {
  emit(emissions: readonly Emission[]): Promise<void>
}

/** What carries entries away. */
export interface Transports {
  readonly bus: Carrier
  readonly signals: Channels
  /** Undefined where sockets are switched off: nothing is sent there. */
  readonly realtime: Sockets | undefined
}

/** The destinations of a process's relays. */
export function createDestinations({ bus, signals, realtime }: Transports): Destination[] {
  return [
    onBus(bus, 'audit', auditMessage),
    onBus(bus, 'bus', (entry) => domainMessage(entry, changeIn(entry))),
    onBus(bus, 'commands', commandIn),
    onChannels(signals),
    ...(realtime ? [onSockets(realtime, signals)] : []),
  ]
}

function onBus(
  bus: Carrier,
  name: 'audit' | 'bus' | 'commands',
  messageOf: (entry: Entry) => Message
): Destination {
  return {
    name,
    get isReady() {
      return bus.isReady
    },
    deliver: async (entry) => bus.publish(messageOf(entry), entry.orderedBy),
  }
}

function onChannels(signals: Channels): Destination {
  const publish = batched((messages: Parameters<Signals['publish']>[0]) =>
    signals.publish(messages)
  )
  return {
    name: 'pubsub',
    get isReady() {
      return signals.isReady
    },
    deliver: async (entry) => publish(publicationsOf(changeIn(entry))),
  }
}

/** Sockets elsewhere are reached the same way as channels are, so that they are away together. */
function onSockets(realtime: Sockets, signals: Channels): Destination {
  const emit = batched((emissions: readonly Emission[]) => realtime.emit(emissions))
  return {
    name: 'sockets',
    get isReady() {
      return signals.isReady
    },
    deliver: async (entry) => emit(emissionsOf(changeIn(entry))),
  }
}

function changeIn({ content }: Entry): ChangeContent {
  if ('change' in content) {
    return content.change
  }
  throw new TypeError('Only changes of records are told to everybody')
}

function commandIn({ content }: Entry): Message {
  if ('command' in content) {
    return unsealCommand(content)
  }
  throw new TypeError('Only commands go into a queue of their own')
}

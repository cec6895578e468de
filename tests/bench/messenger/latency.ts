import { setTimeout as delay } from 'node:timers/promises'

import type { HubProcesses } from '#tests/helpers/hub_processes'
import { openLasting, openMany } from '#tests/helpers/messenger/lasting_wire'
import type { MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { Wire, wireRequest } from '#tests/helpers/http/wire'
import { accepted, sendRequest } from './throughput.js'

const BETWEEN_MS = 5
const IDS = /"id":"([0-9a-f-]{36})"/g

/** From the sending of a message until its recipient, who is one of many that are parked, has it; in milliseconds. */
export async function sendToAnswer(
  hub: HubProcesses,
  people: readonly MailboxOwner[],
  samples: number
) {
  const wires = await openMany(people.length, () => Wire.open(hub.origin))
  const sentAt = new Map<MailboxOwner, number>()
  const times: number[] = []
  const park = async (person: MailboxOwner, wire: Wire): Promise<void> => {
    const { token } = person
    const { body } = await wire.ask(
      wireRequest({ method: 'GET', path: '/messages?wait=30000', token })
    )
    const at = sentAt.get(person)
    const ids = [...body.toString('latin1').matchAll(IDS)].map(([, id]) => id)
    if (at !== undefined && ids.length > 0) {
      times.push(performance.now() - at)
      const content = JSON.stringify({ ids })
      await accepted(
        wire,
        wireRequest({ method: 'POST', path: '/messages/ack', token, body: content })
      )
    }
    sentAt.delete(person)
    return park(person, wire)
  }
  people.forEach((person, index) => void park(person, wires[index]!).catch(() => {}))
  await delay(500)
  await sendInTurn(hub, people, samples, sentAt)
  wires.forEach((wire) => wire.close())
  return times
}

/** Like `sendToAnswer`, until recipients with a stream are notified. */
export async function sendToWakeup(
  hub: HubProcesses,
  people: readonly MailboxOwner[],
  samples: number
) {
  const sentAt = new Map<MailboxOwner, number>()
  const times: number[] = []
  const streams = await openMany(people.length, async (index) => {
    const person = people[index]!
    const request = wireRequest({ method: 'GET', path: '/messages/stream', token: person.token })
    const wire = await openLasting(hub.origin, request)
    await wire.next()
    wire.socket.on('data', (chunk: Buffer) => {
      const at = sentAt.get(person)
      if (at !== undefined && chunk.includes('messagePending')) {
        times.push(performance.now() - at)
        sentAt.delete(person)
      }
    })
    return wire
  })
  await delay(500)
  await sendInTurn(hub, people, samples, sentAt)
  streams.forEach(({ socket }) => socket.destroy())
  return times
}

async function sendInTurn(
  hub: HubProcesses,
  people: readonly MailboxOwner[],
  samples: number,
  sentAt: Map<MailboxOwner, number>
): Promise<void> {
  const wire = await Wire.open(hub.origin)
  for (let number = 0; number < samples; number++) {
    const person = people[number % people.length]!
    sentAt.set(person, performance.now())
    await accepted(wire, sendRequest(people[0]!.token, [person]))
    await delay(BETWEEN_MS)
  }
  await delay(500)
  wire.close()
}

/** How long pulls take, one after the other, of mailboxes that take turns; in milliseconds. */
export async function pullTimes(
  hub: HubProcesses,
  people: readonly MailboxOwner[],
  samples: number
) {
  const wire = await Wire.open(hub.origin)
  const times: number[] = []
  for (let number = 0; number < samples; number++) {
    const { token } = people[number % people.length]!
    const request = wireRequest({ method: 'GET', path: '/messages', token })
    const startedAt = performance.now()
    const { status, body } = await wire.ask(request)
    times.push(performance.now() - startedAt)
    if (status !== 200 || !body.includes('"id"')) {
      throw new Error(`A pull was answered with ${status}: ${body}`)
    }
  }
  wire.close()
  return times
}

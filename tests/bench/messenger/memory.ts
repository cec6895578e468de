import { readFileSync } from 'node:fs'

import type { HubProcesses } from '#tests/helpers/hub_processes'
import { eventually } from '#tests/helpers/eventually'
import { openLasting, openMany, type LastingWire } from '#tests/helpers/messenger/lasting_wire'
import type { MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { Wire, wireRequest } from '#tests/helpers/http/wire'
import type { Inspector } from './inspector.js'

type Kind = 'parked' | 'stream'

const PATHS = { parked: '/messages?wait=30000', stream: '/messages/stream' }

/** What a process keeps resident for each of some streams on which nothing happens, in KiB. */
export async function residentPerStream(
  hub: HubProcesses,
  people: readonly MailboxOwner[]
): Promise<number> {
  await introduce(hub, people)
  const before = residentKiB(hub.pid)
  const opened = await openAll(hub, people, 'stream')
  const kibibytes = (residentKiB(hub.pid) - before) / people.length
  leave(opened)
  return kibibytes
}

/** What lives after a full collection for each connection of one kind, in KiB. */
export async function livePerConnection(
  hub: HubProcesses,
  { inspector, people, kind }: { inspector: Inspector; people: readonly MailboxOwner[]; kind: Kind }
): Promise<number> {
  await introduce(hub, people)
  const before = await inspector.liveBytes()
  const opened = await openAll(hub, people, kind)
  const bytes = (await inspector.liveBytes()) - before
  leave(opened)
  await eventually(async () => (await waiting(hub, kind)) === 0)
  return bytes / people.length / 1_024
}

/** What is known of a caller is known with a stream and without. */
async function introduce(hub: HubProcesses, people: readonly MailboxOwner[]): Promise<void> {
  await openMany(people.length, async (index) => {
    const wire = await Wire.open(hub.origin)
    const { token } = people[index]!
    await wire.ask(wireRequest({ method: 'GET', path: '/messages', token }))
    wire.close()
  })
}

async function openAll(hub: HubProcesses, people: readonly MailboxOwner[], kind: Kind) {
  const opened = await openMany(people.length, async (index) => {
    const { token } = people[index]!
    const request = wireRequest({ method: 'GET', path: PATHS[kind], token })
    const wire = await openLasting(hub.origin, request)
    if (kind === 'stream') {
      await wire.next()
    }
    return wire
  })
  await eventually(async () => (await waiting(hub, kind)) === people.length)
  return opened
}

function leave(opened: readonly LastingWire[]): void {
  opened.forEach(({ socket }) => socket.destroy())
}

async function waiting(hub: HubProcesses, kind: Kind): Promise<number> {
  const page = await (await fetch(`${hub.admin}/metrics`)).text()
  return Number(new RegExp(`^mailbox_waiting\\{kind="${kind}"\\S* (\\d+)`, 'm').exec(page)?.[1])
}

function residentKiB(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kibibytes)
}

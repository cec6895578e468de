import type { Party } from '#messenger/mailboxes/party'
import type { MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { Wire, wireRequest } from '#tests/helpers/http/wire'

const DATA = JSON.stringify('x'.repeat(1_022))
const PULLED = 50
const IDS = /"id":"([0-9a-f-]{36})"/g

interface Load {
  readonly origin: string
  readonly people: readonly MailboxOwner[]
  readonly connections: number
  readonly seconds: number
}

/** Acknowledged sends of 1 KiB per second, each to one recipient. */
export async function sendsPerSecond({ origin, people, connections, seconds }: Load) {
  let number = 0
  return perSecond({ origin, connections, seconds }, async (wire, index) => {
    const { token } = people[index % people.length]!
    const recipient = people[number++ % people.length]!
    await accepted(wire, sendRequest(token, [recipient]))
    return 1
  })
}

/** Messages a second that are pulled, fifty at a time, and acknowledged. */
export async function pullsPerSecond({ origin, people, connections, seconds }: Load) {
  let number = 0
  return perSecond({ origin, connections, seconds }, async (wire) => {
    const { token } = people[number++ % people.length]!
    const pull = wireRequest({ method: 'GET', path: `/messages?limit=${PULLED}`, token })
    const { status, body } = await wire.ask(pull)
    const ids = [...body.toString('latin1').matchAll(IDS)].map(([, id]) => id)
    if (status !== 200 || ids.length < PULLED) {
      throw new Error(`A pull was answered with ${status} and ${ids.length} messages`)
    }
    const content = JSON.stringify({ ids })
    await accepted(
      wire,
      wireRequest({ method: 'POST', path: '/messages/ack', token, body: content })
    )
    return ids.length
  })
}

export function sendRequest(token: string, recipients: readonly Party[]): string {
  const named = recipients.map(({ type, id }) => ({ type, id }))
  const body = `{"recipients":${JSON.stringify(named)},"data":${DATA}}`
  return wireRequest({ method: 'POST', path: '/messages', token, body })
}

export async function accepted(wire: Wire, request: string): Promise<void> {
  const { status, body } = await wire.ask(request)
  if (status !== 202) {
    throw new Error(`A request was answered with ${status}: ${body}`)
  }
}

/** Each connection begins the next as soon as it has its answer. */
async function perSecond(
  { origin, connections, seconds }: Omit<Load, 'people'>,
  once: (wire: Wire, index: number) => Promise<number>
): Promise<number> {
  const startedAt = performance.now()
  const until = startedAt + seconds * 1_000
  let done = 0
  const connection = async (_: unknown, index: number) => {
    const wire = await Wire.open(origin)
    while (performance.now() < until) {
      const count = await once(wire, index)
      done += count
    }
    wire.close()
  }
  await Promise.all(Array.from({ length: connections }, connection))
  return done / ((performance.now() - startedAt) / 1_000)
}

import { Wakeups } from '#messenger/delivery/wakeups'
import { messengerPool } from '#messenger/database'
import type { Party, PartyKind } from '#messenger/mailboxes/party'
import { at, boot } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'
import { streamedText } from '#tests/helpers/messenger/streamed_text'

export type Somebody = ReturnType<typeof somebody>

/** A caller with its own mailbox and no permissions. */
export function somebody(kind: PartyKind = 'client') {
  const { actor, headers } = identity({ kind, permissions: [] })
  const party: Party = { type: kind, id: actor.id }
  return { actor, headers, party }
}

interface RequestOptions {
  readonly body?: unknown
  /** The raw body, for tests of its exact text. */
  readonly text?: string
  readonly headers?: Record<string, string>
}

export async function request(
  who: { headers: Record<string, string> },
  method: string,
  path: string,
  { body, text, headers }: RequestOptions = {}
) {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(at('messenger', path), {
    method,
    headers: {
      ...who.headers,
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: sent,
  })
  const answered = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text: answered,
    body: answered === '' ? undefined : JSON.parse(answered),
  }
}

/** Sends a message to the recipients and returns the ids. */
export async function send(
  from: Somebody,
  to: readonly Somebody[],
  content: object = {},
  headers?: Record<string, string>
): Promise<string[]> {
  const recipients = to.map(({ party }) => party)
  const sent = await request(from, 'POST', '/messages', {
    body: { recipients, ...content },
    headers,
  })
  if (sent.status !== 202) {
    throw new Error(`The message was answered with ${sent.status}: ${sent.text}`)
  }
  return sent.body.data
}

/** The messages of a mailbox. */
export async function pull(whose: Somebody, query = ''): Promise<any[]> {
  const { body } = await request(whose, 'GET', `/messages${query}`)
  return body.messages
}

export const acknowledge = (whose: Somebody, ids: readonly unknown[]) =>
  request(whose, 'POST', '/messages/ack', { body: { ids } })

/** The row of a mailbox; undefined if there is none. */
export async function mailboxOf({ party }: Somebody) {
  const { rows } = await messengerPool().query(
    `select messages::int, bytes::int, arrivals::int, expired::int from mailboxes
     where recipient_type = $1 and recipient_id = $2`,
    [party.type, party.id]
  )
  return rows[0] as
    { messages: number; bytes: number; arrivals: number; expired: number } | undefined
}

/** Moves the creation of messages into the past. */
export async function age(ids: readonly string[], by: string): Promise<void> {
  await messengerPool().query(
    'update messages set created_at = created_at - $2::interval where id = any($1)',
    [ids, by]
  )
}

/** The number of mailboxes with listeners in this process. */
export async function waiting(): Promise<number> {
  const app = await boot()
  const wakeups = await app.container.make(Wakeups)
  return wakeups.size
}

/** A parked request: its response, and how to disconnect it. */
export async function parked(whose: Somebody, query = '?wait=20000') {
  const before = await waiting()
  const controller = new AbortController()
  const pending = fetch(at('messenger', `/messages${query}`), {
    headers: whose.headers,
    signal: controller.signal,
  })
  const answer = pending.then(async (response) => ({
    status: response.status,
    body: (await response.json()) as any,
  }))
  answer.catch(() => {})
  await eventually(async () => (await waiting()) > before)
  const disconnect = async () => {
    const there = await waiting()
    controller.abort()
    await eventually(async () => (await waiting()) < there)
  }
  return { answer, leave: disconnect }
}

interface Frame {
  readonly name: string
  readonly data: any
}

const FRAME = /event: (.+)\ndata: (.+)\n\n/g

/** A wakeup stream. Disconnect it at the end of the test. */
export async function opened(whose: Pick<Somebody, 'headers'>) {
  const controller = new AbortController()
  const response = await fetch(at('messenger', '/messages/stream'), {
    headers: whose.headers,
    signal: controller.signal,
  })
  const { text, ended } = streamedText(response)
  const frames = (): Frame[] =>
    [...text().matchAll(FRAME)].map(([, name, data]) => ({ name: name!, data: JSON.parse(data!) }))
  return {
    response,
    ended,
    frames,
    text,
    until: (count: number) => eventually(() => frames().length >= count && frames()),
    async disconnect() {
      controller.abort()
      await ended
    },
  }
}

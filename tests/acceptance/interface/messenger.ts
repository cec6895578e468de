import { io, type Socket } from 'socket.io-client'

import { eventually } from '#tests/helpers/eventually'
import { connected } from '#tests/helpers/realtime/sockets'
import { streamedText } from '#tests/helpers/messenger/streamed_text'

import { address } from './installation.js'
import { accessToken } from './login.js'
import type { Answer } from './records.js'

export interface Party {
  readonly type: string
  readonly id: string
}

/** Asks messenger, as a caller who may do everything unless another token is given. */
export async function sendRequest(
  method: string,
  path: string,
  { body, token }: { body?: object; token?: string } = {}
): Promise<Answer> {
  const response = await fetch(address('messenger', path), {
    method,
    headers: {
      authorization: `Bearer ${token ?? (await accessToken())}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/** The owner of a token, from its claims. */
export function bearerOf(token: string): Party {
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
  return { type: claims.sub_kind, id: claims.sub }
}

/** The caller, whose mailbox may contain other messages. */
export const self = async (): Promise<Party> => bearerOf(await accessToken())

/** Sends something to the caller itself, and has it acknowledged in the end. */
export async function sentToSelf(
  content: object,
  cleanup: (handler: () => Promise<void>) => void
): Promise<string> {
  const { body } = await sendRequest('POST', '/messages', {
    body: { recipients: [await self()], ...content },
  })
  const [id] = body.data
  cleanup(async () => void (await sendRequest('POST', '/messages/ack', { body: { ids: [id] } })))
  return id
}

/** The caller's messages, in the order in which they are pulled. */
export async function pulled(): Promise<any[]> {
  const { body } = await sendRequest('GET', '/messages?limit=100')
  return body.messages
}

export const messageWith = async (id: string) =>
  (await pulled()).find((message) => message.id === id)

/** A socket of the relay, and everything it receives. */
export async function relay(token: string, cleanup: (handler: () => void) => void) {
  const { origin, pathname } = new URL(address('messenger', '/socket.io'))
  const socket: Socket = io(origin, { path: pathname, auth: { token }, forceNew: true })
  cleanup(() => void socket.disconnect())
  const events: unknown[][] = []
  socket.onAny((...event) => events.push(event))
  await connected(socket)
  return { socket, events }
}

/** The text of a stream of wakeups as it grows, until it is left. */
export async function stream(token?: string) {
  const leaving = new AbortController()
  const response = await fetch(address('messenger', '/messages/stream'), {
    headers: { authorization: `Bearer ${token ?? (await accessToken())}` },
    signal: leaving.signal,
  })
  const { text, ended } = streamedText(response)
  const wakeups = () => [...text().matchAll(/event: messagePending\ndata: (.+)\n\n/g)]
  return {
    response,
    wakeups: () => wakeups().map(([, data]) => JSON.parse(data!)),
    until: (count: number) => eventually(() => wakeups().length >= count),
    async leave() {
      leaving.abort()
      await ended
    },
  }
}

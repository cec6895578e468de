import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text as readText } from 'node:stream/consumers'

import type { Identity } from './example.js'

const ANSWER_MS = 2_000

interface Question {
  readonly method?: 'GET' | 'PATCH' | 'POST'
  readonly body?: object
  /** By default, nothing is shown; the server is not looked at. */
  readonly as?: Identity
  /** User and password. */
  readonly account?: string
  readonly limitMs?: number
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** Asks a server of the example, as one of its hosts or as a stranger. */
export async function ask(url: string, question: Question = {}): Promise<Answer> {
  const { method = 'GET', body, as, account, limitMs = ANSWER_MS } = question
  const message = request(url, {
    method,
    ...(as ?? { rejectUnauthorized: false }),
    ...(account !== undefined && { auth: account }),
    signal: AbortSignal.timeout(limitMs),
  })
  message.end(body && JSON.stringify(body))
  const [response] = (await once(message, 'response')) as [IncomingMessage]
  return { status: response.statusCode!, text: await readText(response) }
}

/** Fails unless the answer is what was asked for. */
export async function expectOk(url: string, question: Question = {}): Promise<string> {
  const { status, text } = await ask(url, question)
  if (status >= 300) {
    throw new Error(`${url}: ${status} ${text}`)
  }
  return text
}

import { setTimeout as delay } from 'node:timers/promises'

import { jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import { isPlatformAway, PlatformAway, PlatformRefused } from './problems.js'
import { reasonOf, type WorkerToken } from './token.js'

const PAUSES: BackoffPolicy = { firstMs: 200, longestMs: 10_000 }
const LIMIT_MS = 30_000

export interface Service {
  /** What it is called in sentences. */
  readonly name: 'Core' | 'Storage'
  /** Asked for when it is needed: a process that serves itself knows its port late. */
  readonly url: () => string
}

/** How questions are put to the platform. */
export interface Asking {
  readonly token: Pick<WorkerToken, 'get' | 'discard'>
  /** For how long something that is away is asked again. */
  readonly patienceMs: number
}

interface Question {
  readonly service: Service
  readonly path: string
  readonly query?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Of an answer that flows: how long until it begins. Its end has no limit but the signal. */
  readonly isStream?: boolean
}

/**
 * What the platform answers; undefined for what is not there. What is away, overloaded or broken is asked again for a while, and a token
 * that is not accepted any more is renewed once.
 */
export async function ask(asking: Asking, question: Question): Promise<Response | undefined> {
  const until = performance.now() + asking.patienceMs
  for (let failures = 1; ; failures++) {
    try {
      return await attempt(asking, question)
    } catch (error) {
      const pauseMs = jitteredBackoff(failures, PAUSES)
      question.signal.throwIfAborted()
      if (!isPlatformAway(error) || performance.now() + pauseMs > until) {
        throw error
      }
      await delay(pauseMs, undefined, { signal: question.signal })
    }
  }
}

async function attempt({ token }: Asking, question: Question): Promise<Response | undefined> {
  const held = await token.get()
  let response = await send(question, held)
  if (response.status === 401) {
    await response.body?.cancel()
    token.discard(held)
    response = await send(question, await token.get())
  }
  return accepted(question, response)
}

async function send(question: Question, token: string): Promise<Response> {
  const { service, path, query, headers, signal, isStream } = question
  const url = `${service.url()}${path}${query ? `?${query}` : ''}`
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error('no answer in time')), LIMIT_MS)
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers, authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: isStream
        ? AbortSignal.any([signal, limit.signal])
        : AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    })
    return response
  } catch (error) {
    signal.throwIfAborted()
    throw new PlatformAway(service.name, reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

async function accepted(
  { service, path }: Question,
  response: Response
): Promise<Response | undefined> {
  const { status } = response
  if (status === 200 || status === 206) {
    return response
  }
  await response.body?.cancel()
  if (status === 404) {
    return undefined
  }
  if (status === 429 || status >= 500) {
    throw new PlatformAway(service.name, `it answered with the status ${status}`)
  }
  const [, collection = ''] = path.split('/')
  throw new PlatformRefused(`Reading ${collection} of ${service.name.toLowerCase()}`, status)
}

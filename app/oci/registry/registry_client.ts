import { pause, pauseAfter } from '#kernel/back_off'

import { ImageFailure, RegistryAway, RegistryConfused, RegistryDenied } from '#oci/errors'
import { digestOf } from '#oci/checked_bytes'
import { isObject } from '#oci/manifest'
import { unlessAborted } from '#oci/unless_aborted'
import type { UploadNote, UploadNotes } from '#oci/uploads/upload_notes'
import { Answer } from './answer.js'
import { challengeIn } from './challenge.js'
import { Connections, type Guard } from './exchange.js'
import { baseOf } from './registry_address.js'
import { Tokens, type Account } from './tokens.js'

export interface RegistryAddress extends Account {
  readonly host: string
}

export interface RegistryOptions {
  /** Whether the certificate of this registry is not to be verified. */
  readonly isInsecure?: boolean
  /** How long a registry may be silent; four times as long where it has to look through a whole blob. */
  readonly idleMs?: number
  /** How often something is asked for that fails for a reason that may pass. */
  readonly attempts?: number
  readonly firstPauseMs?: number
  /** For how long, beyond those attempts, it is asked again at least. */
  readonly patienceMs?: number
  readonly guard?: Guard
  /** Where uploads are noted, so that none is left where this process is killed.. */
  readonly notes?: UploadNotes
}

export interface Question {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/v2/`, or an address that the registry named. */
  readonly at: string | URL
  readonly scopes: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Statuses that are answers; all others are failures. */
  readonly expected: readonly number[]
  /** Not where it would be done twice: the one who asks finds out how far it came. */
  readonly isAskedOnce?: boolean
  readonly isSlow?: boolean
  /** It is a part of an upload, of which it is noted there where it is. */
  readonly note?: UploadNote | undefined
  /** What began that upload, where this does not. */
  readonly begun?: URL
}

const IDLE_MS = 60_000
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 8_000
const LONGEST_WISH_MS = 30_000
const MOST_REDIRECTS = 5
const LARGEST_REASON = 64 * 1024
const REDIRECTS = [301, 302, 303, 307, 308]
const PASSING = [408, 425, 429, 500, 502, 503, 504]
const NEVER = new AbortController().signal

/** How a registry is asked. */
interface Manners extends Required<
  Pick<RegistryOptions, 'idleMs' | 'attempts' | 'firstPauseMs' | 'patienceMs'>
> {
  readonly notes: UploadNotes | undefined
}

/** Asks one registry: as an account, again where it may go well the next time, and within limits of time. */
export class RegistryClient {
  readonly base: URL
  readonly #connections: Connections
  readonly #tokens: Tokens
  readonly #options: Manners
  readonly #signal: AbortSignal | undefined

  constructor(
    base: URL,
    connections: Connections,
    tokens: Tokens,
    options: Manners,
    signal?: AbortSignal
  ) {
    this.base = base
    this.#connections = connections
    this.#tokens = tokens
    this.#options = options
    this.#signal = signal
  }

  static open(address: RegistryAddress, options: RegistryOptions = {}): RegistryClient {
    const base = baseOf(address.host)
    const connections = new Connections(!options.isInsecure, options.guard, options.notes?.uploader)
    return new RegistryClient(base, connections, new Tokens(base, connections, address), {
      idleMs: options.idleMs ?? IDLE_MS,
      attempts: options.attempts ?? ATTEMPTS,
      firstPauseMs: options.firstPauseMs ?? FIRST_PAUSE_MS,
      patienceMs: options.patienceMs ?? 0,
      notes: options.notes,
    })
  }

  get host(): string {
    return this.base.host
  }

  /** Whether something that failed so often, and for the first time then, is not tried again. */
  isGivenUp(failures: number, firstAt: number): boolean {
    const { attempts, patienceMs } = this.#options
    return failures >= attempts && performance.now() - firstAt >= patienceMs
  }

  /** For an upload that is about to begin. */
  newNote(): UploadNote | undefined {
    return this.#options.notes?.next()
  }

  /** The same connections and tokens, for something that can be stopped. Undefined is for what has to be done all the same. */
  within(signal: AbortSignal | undefined): RegistryClient {
    return new RegistryClient(this.base, this.#connections, this.#tokens, this.#options, signal)
  }

  close(): void {
    this.#connections.close()
  }

  get isStopped(): boolean {
    return this.#signal?.aborted === true
  }

  throwIfStopped(): void {
    this.#signal?.throwIfAborted()
  }

  /** Waits for something that may never come, such as what somebody else sends. */
  unlessStopped<T>(promise: Promise<T>): Promise<T> {
    return unlessAborted(promise, this.#signal)
  }

  async ask(question: Question): Promise<Answer> {
    const firstAt = performance.now()
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#askAs(question)
      } catch (error) {
        this.throwIfStopped()
        const failure = failureOf(error, question, this.host)
        if (!failure.isPassing || question.isAskedOnce || this.isGivenUp(attempt, firstAt)) {
          throw failure
        }
        await this.rest(attempt, failure instanceof Overloaded ? failure.wishMs : 0)
      }
    }
  }

  /** Waits before something is tried once more. */
  async rest(failures: number, atLeastMs = 0): Promise<void> {
    const backOff = { firstMs: this.#options.firstPauseMs, longestMs: LONGEST_PAUSE_MS }
    await pause(Math.max(pauseAfter(failures, backOff), atLeastMs), this.#signal ?? NEVER)
    this.throwIfStopped()
  }

  /** Once more where the registry only now says how it wants to be told who asks, or a token came to its end. */
  async #askAs(question: Question): Promise<Answer> {
    const asking = { idleMs: this.#options.idleMs, signal: this.#signal }
    for (let isFirst = true; ; isFirst = false) {
      const shown = await this.#tokens.header(question.scopes, asking)
      const answer = await this.#follow(question, shown)
      if (question.expected.includes(answer.status)) {
        return answer
      }
      const canBeTold =
        isFirst &&
        answer.status === 401 &&
        answer.url.origin === this.base.origin &&
        this.#tokens.learn(challengeIn(answer.header('www-authenticate')), shown)
      if (!canBeTold) {
        throw await this.#refusal(question, answer)
      }
      answer.drop()
    }
  }

  /** Goes where a registry sends us to read something. Who we are, only its own origin is told. */
  async #follow(question: Question, shown: string | undefined): Promise<Answer> {
    const idleMs = this.#options.idleMs * (question.isSlow ? 4 : 1)
    let url = question.at instanceof URL ? question.at : new URL(question.at, this.base)
    for (let hops = 0; ; hops++) {
      this.#requireAllowed(url)
      const headers = {
        ...question.headers,
        ...(shown !== undefined && url.origin === this.base.origin && { authorization: shown }),
      }
      const { method, body, note, begun = url } = question
      const upload = note && { note: note.path, begun: begun.href }
      const sending = { method, url, headers, body, idleMs, signal: this.#signal, upload }
      const answer = new Answer(url, await this.#connections.send(sending), idleMs, this.#signal)
      const isRead = method === 'GET' || method === 'HEAD'
      if (!isRead || !REDIRECTS.includes(answer.status)) {
        return answer
      }
      const next = answer.location()
      answer.drop()
      if (!next || hops >= MOST_REDIRECTS) {
        throw new RegistryConfused(`${this.host} sends us from one place to the next`)
      }
      url = next
    }
  }

  #requireAllowed({ protocol, username }: URL): void {
    const isSecured = protocol === 'https:' || protocol === this.base.protocol
    if (!isSecured || !['https:', 'http:'].includes(protocol) || username !== '') {
      throw new RegistryConfused(`${this.host} sends us to where nothing may be asked for`)
    }
  }

  async #refusal(question: Question, answer: Answer): Promise<Error> {
    const { status } = answer
    const { code, text } = await reasonIn(answer, this.base)
    const said = `${answer.url.host} answered ${asked(question)} with ${status}${text}`
    if (PASSING.includes(status)) {
      return new Overloaded(said, Number(answer.header('retry-after')) * 1000)
    }
    return status === 401 || status === 403
      ? new RegistryDenied(said)
      : new RegistryRefusal(said, code)
  }
}

/** A registry refused what it was asked, and may have said by a code of the distribution API why. */
export class RegistryRefusal extends RegistryConfused {
  readonly reason: string | undefined

  constructor(message: string, reason: string | undefined) {
    super(message)
    this.reason = reason
  }
}

/** A registry that cannot now, and may have said when it can. */
class Overloaded extends RegistryAway {
  readonly wishMs: number

  constructor(message: string, wishMs: number) {
    super(message)
    this.wishMs = wishMs > 0 ? Math.min(wishMs, LONGEST_WISH_MS) : 0
  }
}

function failureOf(error: unknown, question: Question, host: string): ImageFailure {
  return error instanceof ImageFailure
    ? error
    : new RegistryAway(`${host} did not answer ${asked(question)}`, error)
}

/** What was asked for, without what an address may carry. */
function asked({ method, at }: Question): string {
  const path = at instanceof URL ? at.pathname : at.replace(/\?.*/, '')
  return `${method} ${path.slice(0, 200)}`
}

interface Reason {
  readonly code: string | undefined
  readonly text: string
}

/**
 * The reason that a registry gives, where it speaks as one. Of what answers elsewhere, where the registry has sent us, no text is passed on: its digest
 * says whether it was the same as another time.
 */
async function reasonIn(answer: Answer, { origin }: URL): Promise<Reason> {
  if (answer.url.origin !== origin) {
    const bytes = await answer.bytes(LARGEST_REASON).catch(() => undefined)
    return { code: undefined, text: bytes ? ` (${bytes.length} bytes, ${digestOf(bytes)})` : '' }
  }
  const said = await answer.json(LARGEST_REASON).catch(() => undefined)
  const [first] = Array.isArray(said?.errors) ? said.errors : []
  const { code, message } = isObject(first) ? first : {}
  const parts = [code, message].filter((part) => typeof part === 'string')
  const text = parts
    .join(': ')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 200)
  return { code: typeof code === 'string' ? code : undefined, text: text && ` (${text})` }
}

import { readText } from './body.js'

/** One reason of a refusal, or a group of reasons about one attribute. */
export interface Issue {
  readonly code?: string
  readonly path?: readonly string[]
  readonly message?: string
  readonly issues?: readonly Issue[]
}

interface Envelope {
  readonly code?: unknown
  readonly message?: unknown
  readonly issues?: unknown
}

/** No answer arrived: the server is away, the connection was lost, or the time was up. */
export class Unreachable extends Error {
  /** That of the system, if it has one. */
  readonly code: string | undefined

  constructor(
    readonly origin: string,
    readonly reason: string,
    { cause, code }: { readonly cause?: unknown; readonly code?: string | undefined } = {}
  ) {
    super(`${origin} cannot be reached: ${reason}`, { cause })
    this.code = code
  }
}

/** The server answered with another status than success. */
export class Refused extends Error {
  readonly status: number
  readonly code: string | undefined
  /** The message of the server, if it sent one. */
  readonly reason: string | undefined
  readonly issues: readonly Issue[]
  readonly retryAfterMs: number | undefined
  /** By which an operator finds the request. */
  readonly requestId: string | undefined

  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, envelope: Envelope) {
    const { code, message, issues } = envelope
    const reason = textOf(message)
    super(reason ?? `The server answered with the status ${status}`)
    this.status = status
    this.code = textOf(code)
    this.reason = reason
    this.issues = Array.isArray(issues) ? issues.filter(isObject) : []
    this.retryAfterMs = waitIn(headers.get('retry-after'))
    this.requestId = headers.get('x-request-id') ?? undefined
  }

  /** Reads the error of an answer, whatever its body is. */
  static async from(response: Response): Promise<Refused> {
    const text = await readText(response, { maxBytes: MAX_ENVELOPE_BYTES }).catch(() => '')
    return new Refused(response, envelopeIn(text))
  }

  /** The address sends its callers elsewhere. No token follows. */
  get isRedirect(): boolean {
    return this.status === 0 || (this.status >= 300 && this.status < 400)
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status >= 500 || LATER.has(this.status)
  }
}

const MAX_ENVELOPE_BYTES = 1024 ** 2
const LATER: ReadonlySet<number> = new Set([408, 425, 429])

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function envelopeIn(text: string): Envelope {
  try {
    const content: unknown = JSON.parse(text)
    return isObject(content) ? content : {}
  } catch {
    return {}
  }
}

/** Seconds, or a date. */
function waitIn(header: string | null): number | undefined {
  const ms = /^\d+$/.test(header ?? '')
    ? Number(header) * 1000
    : Date.parse(header ?? '') - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

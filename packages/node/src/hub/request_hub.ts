import { tryParseJson } from '#kernel/try_parse_json'
import { HubRefusal, HubUnavailable } from '#node/errors'
import { answerText } from './answer_text.js'

/** The timeout until the headers of a response. */
const ANSWER_MS = 60_000
const LATER = new Set([408, 425, 429])

/** Sends a request. An error response is thrown as `HubRefusal`, or as `HubUnavailable` if a repetition may succeed. */
export async function requestHub(address: string, init: RequestInit = {}): Promise<Response> {
  const { signal } = init
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), ANSWER_MS)
  try {
    const signals = signal ? [signal, limit.signal] : [limit.signal]
    return await requireOk(
      await fetch(address, { redirect: 'error', ...init, signal: AbortSignal.any(signals) })
    )
  } catch (error) {
    if (signal?.aborted || error instanceof HubRefusal || error instanceof HubUnavailable) {
      throw error
    }
    throw new HubUnavailable(`${new URL(address).origin} cannot be reached`, error)
  } finally {
    clearTimeout(timer)
  }
}

async function requireOk(response: Response): Promise<Response> {
  const { ok, status } = response
  if (ok) {
    return response
  }
  const message = await messageIn(response)
  if (status >= 500 || LATER.has(status)) {
    throw new HubUnavailable(
      `The hub answered with status ${status}: ${message ?? 'no reason given'}`
    )
  }
  throw new HubRefusal(message ?? `The hub answered with status ${status}`, status)
}

async function messageIn(response: Response): Promise<string | undefined> {
  const content = tryParseJson(await answerText(response).catch(() => ''))
  return (content as { message?: string } | undefined)?.message
}

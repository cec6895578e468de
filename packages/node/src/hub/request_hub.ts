import { Refused, Unreachable } from '#client/failures'
import type { Call, Transport } from '#client/transport'
import { HubRefusal, HubUnavailable } from '#node/errors'

/** The timeout until the headers of a response. */
const ANSWER_MS = 60_000

/** Sends a request. An error response is thrown as `HubRefusal`, or as `HubUnavailable` if a repetition may succeed. */
export async function requestHub(
  transport: Transport,
  address: string,
  call: Call
): Promise<Response> {
  try {
    return await transport.open(address, { timeoutMs: ANSWER_MS, ...call })
  } catch (error) {
    throw error instanceof Refused ? refusalOf(error, address) : awayOf(error)
  }
}

const awayOf = (error: unknown): unknown =>
  error instanceof Unreachable
    ? new HubUnavailable(`${error.origin} cannot be reached`, error)
    : error

function refusalOf(refused: Refused, address: string): Error {
  const { status, reason, isPassing, isRedirect } = refused
  if (isRedirect) {
    return new HubUnavailable(`${new URL(address).origin} cannot be reached`, refused)
  }
  if (isPassing) {
    const message = `The hub answered with status ${status}: ${reason ?? 'no reason given'}`
    return new HubUnavailable(message, refused)
  }
  return new HubRefusal(reason ?? `The hub answered with status ${status}`, status)
}

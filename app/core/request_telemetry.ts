import type { RemoteSurface } from '#auth/remote_surface'
import { ownRequest, type OwnRequestOptions } from '#auth/own_request'
import { ServiceUnavailable, type Failure } from '#kernel/failures'

interface TelemetryRequest extends OwnRequestOptions {
  /** The subject of the request, for error messages. */
  readonly about: 'Logs' | 'Events'
  readonly path: string
  readonly expected: number
}

/** Sends a request to telemetry as the platform. Throws `ServiceUnavailable` for any other status than the expected one. */
export async function requestTelemetry(
  telemetry: RemoteSurface,
  { about, path, expected, ...request }: TelemetryRequest
): Promise<string> {
  const unreachable = `${about} are unavailable: try again shortly`
  let response: Awaited<ReturnType<typeof ownRequest>>
  try {
    response = await ownRequest(telemetry, path, request)
  } catch (error) {
    throw unavailable(unreachable, error)
  }
  const { status, text } = response
  if (status !== expected) {
    const cause = new Error(`telemetry answered with the status ${status}`)
    throw unavailable((status === 503 && parseMessage(text)) || unreachable, cause)
  }
  return text
}

/** A filter that requires all values and further conditions. */
export function matchAll(
  values: Readonly<Record<string, string>>,
  furtherConditions: readonly string[] = []
): URLSearchParams {
  const conditions = Object.entries(values).map(
    ([name, value]) => `eq(${name},'${value.replaceAll("'", "''")}')`
  )
  return new URLSearchParams({ filter: `and(${[...conditions, ...furtherConditions].join()})` })
}

function parseMessage(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message: string }).message
  } catch {
    return undefined
  }
}

function unavailable(message: string, cause: unknown): Failure {
  return new ServiceUnavailable(message, { cause, headers: { 'retry-after': '5' } })
}

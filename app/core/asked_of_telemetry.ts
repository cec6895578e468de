import type { RemoteSurface } from '#auth/own_fetch'
import { ownRequest, type OwnRequestOptions } from '#auth/own_request'
import { ServiceUnavailable, type Failure } from '#kernel/failures'

interface TelemetryQuestion extends OwnRequestOptions {
  /** What is asked about, for whoever has to do without. */
  readonly about: 'Logs' | 'Events'
  readonly path: string
  readonly expected: number
}

/** Asks telemetry at its address, in the platform's own name; rejects with `ServiceUnavailable` for any answer but the expected one. */
export async function askedOfTelemetry(
  telemetry: RemoteSurface,
  { about, path, expected, ...question }: TelemetryQuestion
): Promise<string> {
  const outOfReach = `${about} cannot be reached now; try again shortly`
  let answer: Awaited<ReturnType<typeof ownRequest>>
  try {
    answer = await ownRequest(telemetry, path, question)
  } catch (error) {
    throw unavailable(outOfReach, error)
  }
  const { status, text } = answer
  if (status !== expected) {
    const cause = new Error(`telemetry answered with the status ${status}`)
    throw unavailable((status === 503 && messageIn(text)) || outOfReach, cause)
  }
  return text
}

/** The filter of what has all of these values, and meets further conditions. */
export function havingAll(
  values: Readonly<Record<string, string>>,
  further: readonly string[] = []
): URLSearchParams {
  const conditions = Object.entries(values).map(
    ([name, value]) => `eq(${name},'${value.replaceAll("'", "''")}')`
  )
  return new URLSearchParams({ filter: `and(${[...conditions, ...further].join()})` })
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message: string }).message
  } catch {
    return undefined
  }
}

function unavailable(message: string, cause: unknown): Failure {
  return new ServiceUnavailable(message, { cause, headers: { 'retry-after': '5' } })
}

import { ownFetch, type Elsewhere, type OwnCall } from './own_fetch.js'

const LIMIT_MS = 3_000

export interface OwnAnswer {
  readonly status: number
  readonly text: string
}

export interface OwnQuestion extends Pick<OwnCall, 'method'> {
  readonly body?: object
  readonly limitMs?: number
}

/** Asks a surface of another process in the platform's own name. */
export async function ownRequest(
  elsewhere: Elsewhere,
  path: string,
  { body, limitMs = LIMIT_MS, ...question }: OwnQuestion = {}
): Promise<OwnAnswer> {
  const response = await ownFetch(elsewhere, path, {
    ...question,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: () => AbortSignal.timeout(limitMs),
  })
  return { status: response.status, text: await response.text() }
}

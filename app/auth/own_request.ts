import { readText } from '#client/body'
import { transportTo, type RemoteSurface } from './remote_surface.js'

const TIMEOUT_MS = 3_000

export interface OwnResponse {
  readonly status: number
  readonly text: string
}

export interface OwnRequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: object
  readonly limitMs?: number
}

/** Sends a request to a surface of another process as the platform. */
export async function ownRequest(
  surface: RemoteSurface,
  path: string,
  { method = 'GET', body, limitMs = TIMEOUT_MS }: OwnRequestOptions = {}
): Promise<OwnResponse> {
  const limits = { timeoutMs: limitMs, answerMs: limitMs }
  const call = { method, json: body, ...limits }
  const response = await transportTo(surface).send(surface.url + path, call)
  return { status: response.status, text: await readText(response) }
}

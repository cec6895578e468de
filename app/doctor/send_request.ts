const LIMIT_MS = 12_000

/** Sends a request with a timeout and without redirects. */
export function sendRequest(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS), ...init })
}

/** The JSON of a response; undefined if it is not JSON. */
export async function jsonOf(response: Response): Promise<any> {
  try {
    return await response.json()
  } catch {
    return undefined
  }
}

const LIMIT_MS = 8_000

/** Asks over HTTP without following anybody elsewhere. The body is not read where nobody asks for it. */
export function sendRequest(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS), ...init })
}

/** What an answer says as JSON; undefined where it says something else. */
export async function jsonOf(response: Response): Promise<any> {
  try {
    return await response.json()
  } catch {
    return undefined
  }
}

import { BodyUnusable, readJson } from '#client/body'
import { HubUnavailable } from '#node/errors'

/**
 * Parses the JSON of a response; null if it is empty. An unusable response counts as unavailable, so that callers repeat
 * the request.
 */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await readJson<T | undefined>(response)) ?? (null as T)
  } catch (error) {
    const { message } = error as Error
    const problem = error instanceof BodyUnusable ? error.reason : `sent no answer: ${message}`
    throw new HubUnavailable(`${new URL(response.url).origin} ${problem}`, error)
  }
}

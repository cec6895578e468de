import { HubUnavailable } from '#node/errors'

import { answerText } from './answer_text.js'

/**
 * Parses the JSON of a response; null if it is empty. Invalid JSON counts as unavailable, so that callers repeat the
 * request.
 */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    const text = await answerText(response)
    return (text === '' ? null : JSON.parse(text)) as T
  } catch (error) {
    const problem =
      error instanceof SyntaxError ? 'is not JSON' : `broke off: ${(error as Error).message}`
    throw new HubUnavailable(`An answer of ${new URL(response.url).origin} ${problem}`, error)
  }
}

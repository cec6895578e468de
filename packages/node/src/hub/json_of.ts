import { HubUnavailable } from '#node/errors'

import { answerText } from './answer_text.js'

/** The JSON of an answer; null if it is empty. One that cannot be used may be usable the next time. */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    const text = await answerText(response)
    return (text === '' ? null : JSON.parse(text)) as T
  } catch (error) {
    const problem =
      error instanceof SyntaxError ? 'is no JSON' : `broke off: ${(error as Error).message}`
    throw new HubUnavailable(`An answer of ${new URL(response.url).origin} ${problem}`, error)
  }
}

import { HubUnavailable } from '#node/errors'

import { answerText } from './answer_text.js'

/** The JSON of an answer; null if it is empty. One that broke off, is no JSON or too large may be usable the next time. */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    const text = await answerText(response)
    return (text === '' ? null : JSON.parse(text)) as T
  } catch (error) {
    throw new HubUnavailable(
      `An answer of ${new URL(response.url).origin} cannot be used: ${(error as Error).message}`,
      error
    )
  }
}

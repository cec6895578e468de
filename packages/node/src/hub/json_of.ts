import { HubUnavailable } from '#node/errors'

/** The JSON of an answer; null if it is empty. One that broke off, or is no JSON, may be whole the next time. */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    const text = await response.text()
    return (text === '' ? null : JSON.parse(text)) as T
  } catch (error) {
    throw new HubUnavailable(
      `An answer of ${new URL(response.url).origin} broke off or is no JSON`,
      error
    )
  }
}

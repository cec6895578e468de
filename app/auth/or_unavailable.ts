import { ServiceUnavailable } from '#kernel/failures'

/** The error for callers while a surface of another process does not respond as expected. */
interface Absence {
  readonly service: string
  readonly message: string
}

/** The result of requests to a surface of another process; `ServiceUnavailable` with the message if they fail. */
export async function orUnavailable<T>(
  { service, message }: Absence,
  work: () => Promise<T>
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const cause = new Error(`request to ${service} failed: ${(error as Error).message}`)
    throw new ServiceUnavailable(message, { cause, headers: { 'retry-after': '5' } })
  }
}

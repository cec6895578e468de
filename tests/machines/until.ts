import { setTimeout as delay } from 'node:timers/promises'

const LOOK_AGAIN_MS = 250
const WITHIN_MS = 600_000

/** Waits until something is so, and takes an error for no. Asks seldom: the servers share the processors with who asks. */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false
): Promise<Answer> {
  const deadline = performance.now() + WITHIN_MS
  let reason: unknown = 'it is not so'
  while (performance.now() < deadline) {
    try {
      const answer = await ask()
      if (answer !== undefined && answer !== false) {
        return answer
      }
    } catch (error) {
      reason = error
    }
    await delay(LOOK_AGAIN_MS)
  }
  throw new Error(`After ${WITHIN_MS / 1_000} s, still not so: ${what}`, { cause: reason })
}

import type { Finding } from './finding.js'
import type { CheckContext } from './check_context.js'

/** What a check answers that has nothing to look at here. */
export const NOT_USED = 'not used'

/**
 * Looks at one thing. It changes nothing that stays, takes a few seconds at most, and leaves it to others to say that what
 * it looks at is not there at all.
 */
export interface Check {
  /** What it looks at, in a word or two. */
  readonly name: string
  run(context: CheckContext): Promise<readonly Finding[] | typeof NOT_USED>
}

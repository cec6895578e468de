import type { Finding } from './finding.js'
import type { CheckContext } from './check_context.js'

/** The result of a check that does not apply to this installation. */
export const NOT_USED = 'not used'

/** A check of one aspect. It changes nothing, takes a few seconds, and does not report what another check does. */
export interface Check {
  /** The name in the report. */
  readonly name: string
  run(context: CheckContext): Promise<readonly Finding[] | typeof NOT_USED>
}

import type { Kind } from '#hubctl/kinds/kind'
import { UsageProblem } from '#hubctl/problem'
import type { JsonSchema } from '#kernel/json_schema'

/** What a change of a record may hold. */
export function requireUpdatable({ name, update }: Kind): JsonSchema {
  if (!update) {
    throw new UsageProblem(`A ${name} cannot be updated.`, 'See which kinds can: hubctl kinds')
  }
  return update
}

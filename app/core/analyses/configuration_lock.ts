import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Row } from '#records/row'

import type { Analysis } from './analysis.js'

/** Throws if the configuration is locked. */
export function requireUnlocked({
  configurationLocked,
}: Pick<Row<typeof Analysis>, 'configurationLocked'>): void {
  if (configurationLocked) {
    const message = 'The configuration is locked: unlock it with the command configurationUnlock'
    throw new BadRequest(message, { issues: [issue('configuration_locked', [], message)] })
  }
}

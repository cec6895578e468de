import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Values } from '#records/kind'

/** Throws where nodes are being asked about the analysis as it is. */
export function requireUnlocked({ configurationLocked }: Values): void {
  if (configurationLocked) {
    const message = 'The configuration is locked: unlock it with the command configurationUnlock'
    throw new BadRequest(message, { issues: [issue('configuration_locked', [], message)] })
  }
}

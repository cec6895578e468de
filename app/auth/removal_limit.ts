import { ServiceUnavailable } from '#kernel/failures'
import { authSettings } from './auth_settings.js'

/**
 * Throws if more is missing at the provider than is plausible. The provider may be another one, an older copy of
 * itself, or hide records.
 */
export function enforceRemovalLimit(missing: number, what: string): void {
  const { removalLimit: limit } = authSettings()
  if (missing > limit) {
    throw new ServiceUnavailable(
      `${missing} ${what} are missing at the identity provider at once, so nothing was removed. ` +
        `If they were deleted, set IDENTITY_GONE_AT_ONCE=${missing} (now ${limit}) until the removal is done`
    )
  }
}

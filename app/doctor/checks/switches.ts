import type { Check } from '#doctor/check'
import { finding } from '#doctor/finding'

/** Checks for safeguards that should be off only for trials. */
export const switchesCheck: Check = {
  name: 'switches',
  async run({ env }) {
    const skipped = (['SKIP_PROJECT_APPROVAL', 'SKIP_ANALYSIS_APPROVAL'] as const).filter(
      (name) => env[name]
    )
    return [
      ...skipped.map((name) => finding('APPROVAL_SKIPPED', `${name} is on`)),
      ...(env.STORAGE_STRICT_REALM ? [] : [finding('REALMS_OPEN', 'STORAGE_STRICT_REALM is off')]),
      ...(env.APP_KEY_PREVIOUS.length > 0
        ? [finding('KEY_OF_BEFORE', `${env.APP_KEY_PREVIOUS.length} of them`)]
        : []),
    ]
  },
}

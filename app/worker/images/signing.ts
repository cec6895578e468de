import type { ImageKey } from '#oci/signing/image_key'
import type { SigningKey } from '#oci/signing/signing_key'
import { JobFailure } from '#worker/job_failure'
import type { Platform } from '#worker/platform/platform'

const ACCEPTED_MS = 60_000

/** What this worker signs with, and whose signatures it takes. */
export class Signing {
  readonly #key: SigningKey
  #acceptedUntil = -Infinity

  constructor(key: SigningKey) {
    this.#key = key
  }

  /** Those that the platform accepts; the own one where it knows of none. */
  async accepted(platform: Platform): Promise<readonly ImageKey[]> {
    const keys = await platform.imageKeys()
    return keys.length > 0 ? keys : [this.#key.public]
  }

  /**
   * What would be signed with a key that the platform does not accept could not be distributed; it looks again before it is. That it accepts this one is good
   * for a while therefore.
   */
  async keyFor(platform: Platform): Promise<SigningKey> {
    if (performance.now() < this.#acceptedUntil) {
      return this.#key
    }
    const { fingerprint } = this.#key.public
    const accepted = await this.accepted(platform)
    if (!accepted.some((key) => key.fingerprint === fingerprint)) {
      throw new JobFailure(
        'signingKeyUnknown',
        'The platform does not accept the key of this worker: both need the same IMAGE_SIGNING_KEY, or the same APP_KEY'
      )
    }
    this.#acceptedUntil = performance.now() + ACCEPTED_MS
    return this.#key
  }
}

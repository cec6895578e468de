import type { ImageKey } from '#oci/signing/image_key'
import type { SigningKey } from '#oci/signing/signing_key'
import { JobFailure } from '#worker/job_failure'
import type { Platform } from '#worker/platform/platform'

const ACCEPTED_MS = 60_000

/** The signing key of this worker and the keys it accepts. */
export class Signing {
  readonly #key: SigningKey
  #acceptedUntil = -Infinity

  constructor(key: SigningKey) {
    this.#key = key
  }

  /** The keys that the platform accepts, or the key of this worker if it reports none. */
  async accepted(platform: Platform): Promise<readonly ImageKey[]> {
    const keys = await platform.imageKeys()
    return keys.length > 0 ? keys : [this.#key.public]
  }

  /**
   * The signing key, if the platform accepts it. Otherwise the image could not be distributed. The check is cached,
   * because distribution verifies again.
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

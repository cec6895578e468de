import app from '@adonisjs/core/services/app'

import type { Env } from '#configuration/variables'
import type { ImageKey } from '#oci/signing/image_key'

/** Which hosts registries may have. */
export interface HostRulesOptions {
  /** The only hosts that are allowed. Undefined allows any. */
  readonly allowed: readonly string[] | undefined
  /** Hosts whose certificates are not verified. */
  readonly insecure: readonly string[]
  /** Hosts of the environment, which are always allowed. */
  readonly configured: readonly string[]
  /** Whether hosts on this machine or in private networks have to be listed. */
  readonly isStrict: boolean
  readonly ownPorts: readonly number[]
}

/** Settings of core, from `config/core.ts`. */
export interface CoreSettings {
  /** Whether analyses run without the approval of nodes. */
  readonly skipsAnalysisApproval: boolean
  /** Whether projects need no approval of nodes. */
  readonly skipsProjectApproval: boolean
  readonly registryHosts: HostRulesOptions
  /** The registry of `HARBOR_URL`. */
  readonly harbor: Env['HARBOR_URL']
  /** The repository that images and their groups are synchronized with. */
  readonly masterImages: {
    readonly owner: string
    readonly repository: string
    readonly branch: string
  }
  /** The folder of images, and how long the check of a signature may take while a caller waits. */
  readonly imagesPath: string
  readonly signatureTimeoutMs: number
  /** The key that signs images, followed by those of former application keys. */
  imageKeys(): readonly [ImageKey, ...ImageKey[]]
  /** More buckets than this may not go missing at storage at once. */
  readonly bucketRemovalLimit: number
  /** After this time without a report, the hub checks whether a worker still runs a process. */
  readonly workerSilenceSeconds: number
}

export const coreSettings = (): CoreSettings => app.config.get('core')

import { configuredKeys } from '#oci/signing/own_keys'
import type { CoreSettings } from '#core/core_settings'
import { env } from '#start/env'

const settings: CoreSettings = {
  skipsAnalysisApproval: env.SKIP_ANALYSIS_APPROVAL,
  skipsProjectApproval: env.SKIP_PROJECT_APPROVAL,
  registryHosts: {
    allowed: env.REGISTRY_HOSTS,
    insecure: env.REGISTRY_INSECURE,
    configured: env.HARBOR_URL ? [env.HARBOR_URL.host.toLowerCase()] : [],
    isStrict: env.NODE_ENV === 'production',
    ownPorts: [env.PORT, env.ADMIN_PORT],
  },
  harbor: env.HARBOR_URL,
  masterImages: {
    owner: env.MASTER_IMAGES_OWNER,
    repository: env.MASTER_IMAGES_REPOSITORY,
    branch: env.MASTER_IMAGES_BRANCH,
  },
  imagesPath: env.IMAGES_PATH,
  signatureTimeoutMs: 3_000,
  imageKeys: () => configuredKeys(env),
  bucketRemovalLimit: env.STORAGE_GONE_AT_ONCE,
  workerSilenceSeconds: env.WORKER_SILENCE_SECONDS,
}

export default settings

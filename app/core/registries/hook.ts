import { surfacesOf } from '#configuration/processes'
import { publicPrefix } from '#configuration/surfaces'
import { env } from '#start/env'

import type { Hook } from './driver.js'
import type { HookSecrets } from './hook_secrets.js'

export const HOOK_PATH = '/services/registry/hook'

/** How a registry tells the platform what happens in it; null where the registry is gone. */
export async function hookOf(secrets: HookSecrets, registryId: string): Promise<Hook | null> {
  const secret = await secrets.of(registryId)
  if (secret === undefined) {
    return null
  }
  const account = Buffer.from(`${registryId}:${secret}`).toString('base64')
  const address = env.PUBLIC_URL + publicPrefix('core', surfacesOf(env)) + HOOK_PATH
  return { address, authorization: `Basic ${account}` }
}

import { surfaceUrl } from '#settings/app_settings'

import type { Webhook } from './registry_driver.js'
import type { WebhookSecrets } from './webhook_secrets.js'

const WEBHOOK_PATH = '/services/registry/hook'

/** Creates the webhook of a registry. Returns null if the registry was deleted. */
export async function createWebhook(
  secrets: WebhookSecrets,
  registryId: string
): Promise<Webhook | null> {
  const secret = await secrets.findOrCreate(registryId)
  if (secret === undefined) {
    return null
  }
  const account = Buffer.from(`${registryId}:${secret}`).toString('base64')
  const address = surfaceUrl('core') + WEBHOOK_PATH
  return { address, authorization: `Basic ${account}` }
}

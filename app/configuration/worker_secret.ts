import { createHmac } from 'node:crypto'

import { applicationKey } from './application_key.js'
import type { Env } from './variables.js'

type WorkerSecretSettings = Pick<Env, 'APP_KEY' | 'DATA_DIR' | 'WORKER_CLIENT_SECRET'>

/**
 * The secret of the worker's client of the embedded provider: the one that was chosen, else one that all processes of an installation
 * find by themselves, and nobody who does not know its key.
 */
export function workerSecret(settings: WorkerSecretSettings): string {
  return settings.WORKER_CLIENT_SECRET ?? deriveSecret(applicationKey(settings))
}

const deriveSecret = (key: string): string =>
  createHmac('sha256', key).update('client secret of the worker').digest('base64url')

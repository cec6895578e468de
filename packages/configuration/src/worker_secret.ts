import { createHmac } from 'node:crypto'

import { applicationKey } from './application_key.js'
import type { Env } from './variables.js'

type WorkerSecretSettings = Pick<Env, 'APP_KEY' | 'DATA_DIR' | 'WORKER_CLIENT_SECRET'>

/** The secret of the worker's client at the embedded provider: configured, else derived from the application key. */
export function workerSecret(settings: WorkerSecretSettings): string {
  return settings.WORKER_CLIENT_SECRET ?? deriveSecret(applicationKey(settings))
}

const deriveSecret = (key: string): string =>
  createHmac('sha256', key).update('client secret of the worker').digest('base64url')

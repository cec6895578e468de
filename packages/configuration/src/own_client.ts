import { DEFAULT_SECRET } from './initial_secrets.js'
import { isOnlyWorker } from './processes.js'
import type { Env } from './variables.js'

type ClientSettings = Pick<
  Env,
  'SURFACES' | 'JOBS' | 'CLIENT_ID' | 'CLIENT_SECRET' | 'WORKER_CLIENT_ID' | 'WORKER_CLIENT_SECRET'
>

/** The client that a process logs in with at an identity provider elsewhere: a worker by itself has none of the hub's. */
export function ownClient(settings: ClientSettings) {
  const [clientId, secret] = isOnlyWorker(settings)
    ? [settings.WORKER_CLIENT_ID, settings.WORKER_CLIENT_SECRET]
    : [settings.CLIENT_ID, settings.CLIENT_SECRET]
  return { clientId, clientSecret: secret ?? DEFAULT_SECRET }
}

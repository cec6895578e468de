import type { Logger } from '@adonisjs/core/logger'

import { Client } from '#identity/clients/client'
import { sign } from '#identity/embedded/tokens/sign'
import type { TaskWorker } from '#jobs/tasks/task_worker'
import { clock } from '#kernel/clock'
import { isAllowedAddress } from './logout_addresses.js'
import { logoutTasks, type Logout } from './logout_tasks.js'

/** The event of OpenID Connect Back-Channel Logout. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const TOKEN_SECONDS = 120
const TIMEOUT_MS = 3_000
const MAX_ATTEMPTS = 12

interface LogoutWorkerOptions {
  readonly logger: Pick<Logger, 'warn'>
}

/** Sends logout tokens to clients (OpenID Connect Back-Channel Logout). */
export function logoutWorker({ logger }: LogoutWorkerOptions): TaskWorker<Logout> {
  const tasks = logoutTasks()
  return {
    tasks,
    concurrency: 8,
    perform: ({ data }) => notifyClient(data),
    async onFailure(error, task) {
      const { clientId, sessionId } = task.data
      const details = { err: error, client: clientId, session: sessionId, attempts: task.attempts }
      if (task.attempts < MAX_ATTEMPTS) {
        logger.warn(details, 'a client could not be notified of a logout; retrying later')
        return
      }
      logger.warn(details, 'a client could not be notified of a logout; giving up')
      await tasks.finish(task)
    },
  }
}

async function notifyClient(logout: Logout): Promise<void> {
  const client = await Client.find(logout.clientId)
  const address = client?.active ? client.backchannelLogoutUri : null
  if (!client || address === null || !isAllowedAddress(address)) {
    return
  }
  const response = await fetch(address, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: await logoutToken(logout, client) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  await response.body?.cancel()
  if (!response.ok) {
    throw new Error(`The address of the client answered with the status ${response.status}`)
  }
}

/**
 * The audience has the id and the name of the client, which may know either. The type distinguishes the token from all
 * others.
 */
function logoutToken(
  { sessionId, userId: id, realmId, realmName, clientId }: Logout,
  { name }: Client
): Promise<string> {
  const about = { aud: [clientId, name], jti: clock.uuid(), sid: sessionId }
  const claims = { ...about, events: { [LOGOUT_EVENT]: {} } }
  return sign({ kind: 'user', id, realmId, realmName }, claims, TOKEN_SECONDS, 'logout+jwt')
}

import type { Logger } from '@adonisjs/core/logger'

import { ensurePermissions } from '#auth/client_permissions'
import type { TaskWorker } from '#jobs/tasks/perform'

import { clientsOf, type ClientKeeper } from './client_directory.js'
import type { ClientTask, ClientTasks } from './client_tasks.js'

interface WorkerOptions {
  readonly tasks: ClientTasks
  readonly provider: ClientKeeper
  readonly logger: Pick<Logger, 'warn'>
}

/** Does at the identity provider what is written down for the clients of records. */
export function clientWorker({ tasks, provider, logger }: WorkerOptions): TaskWorker<ClientTask> {
  return {
    tasks,
    atOnce: 8,
    perform: ({ key, data }) => perform(key, data, provider, logger),
    failed(error, { key, attempts }) {
      logger.warn(
        { err: error, client: key, attempts },
        'a task of a client failed; it is tried again later'
      )
    },
  }
}

async function perform(
  clientId: string,
  { task, permissions, nothingElse }: ClientTask,
  provider: ClientKeeper,
  logger: Pick<Logger, 'warn'>
): Promise<void> {
  const clients = await clientsOf(provider)
  if (task === 'remove') {
    return clients.remove(clientId)
  }
  if (!(await clients.read(clientId))) {
    return
  }
  const unknown = await ensurePermissions(clients, clientId, { names: permissions, nothingElse })
  if (unknown.length > 0) {
    logger.warn({ permissions: unknown }, 'the identity provider does not know these permissions')
  }
}

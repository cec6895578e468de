import type { Logger } from '@adonisjs/core/logger'

import { ensurePermissions } from '#auth/client_permissions'
import type { TaskWorker } from '#jobs/tasks/task_worker'

import { requireClients, type ClientProvider } from './client_directory.js'
import type { ClientTask, ClientTasks } from './client_tasks.js'

interface ClientWorkerOptions {
  readonly tasks: ClientTasks
  readonly provider: ClientProvider
  readonly logger: Pick<Logger, 'warn'>
}

/** Runs the tasks of clients at the identity provider. */
export function clientWorker({
  tasks,
  provider,
  logger,
}: ClientWorkerOptions): TaskWorker<ClientTask> {
  return {
    tasks,
    concurrency: 8,
    perform: ({ key, data }) => perform(key, data, provider, logger),
    onFailure(error, { key, attempts }) {
      logger.warn(
        { err: error, client: key, attempts },
        'a task of a client failed; it is retried later'
      )
    },
  }
}

async function perform(
  clientId: string,
  { task, permissions, nothingElse }: ClientTask,
  provider: ClientProvider,
  logger: Pick<Logger, 'warn'>
): Promise<void> {
  const clients = await requireClients(provider)
  if (task === 'remove') {
    return clients.remove(clientId)
  }
  if (!(await clients.read(clientId))) {
    return
  }
  const unknown = await ensurePermissions(clients, clientId, {
    names: permissions,
    exclusive: nothingElse,
  })
  if (unknown.length > 0) {
    logger.warn({ permissions: unknown }, 'the identity provider does not know these permissions')
  }
}

import { inject } from '@adonisjs/core'
import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { serviceOrigin } from '#auth/service_origin'
import { analysis } from '#core/analyses/analysis'
import type { TaskWorker } from '#jobs/tasks/task_worker'
import type { TaskQueue } from '#jobs/tasks/task_queue'
import { topicOf } from '#jobs/tasks/task_runner'
import { Tasks } from '#jobs/tasks/tasks'
import type { RecordServiceOptions } from '#records/record_service'
import { afterCommit } from '#records/transaction'
import { Signals } from '#signals/signals'
import { requireClients, type ClientProvider } from './client_directory.js'
import { newClientSecret } from './client_secret.js'
import { recordReplacedSecret } from './replaced_secret.js'

const QUEUE: TaskQueue = {
  name: 'analysis-secret',
  backOff: { firstMs: 1_000, longestMs: 60_000 },
}

const CLIENT =
  'select client_id as "clientId" from analyses where id = $1 and client_id is not null'

const APPROVED_BY_NODE = `select a.id from analyses a join analysis_nodes n on n.analysis_id = a.id
  where a.project_id = $1 and n.node_id = $2 and n.approval_status = 'approved' order by a.id`

interface SecretReplacement {
  readonly clientId: string
}

/**
 * Replaces the secrets of analyses after a node lost access to them. A task is enqueued in the transaction that revokes
 * the access, because the provider is not called within a transaction. Its key is the id of the analysis.
 */
@inject()
export class SecretReplacements extends Tasks<SecretReplacement> {
  readonly #signals: Signals

  constructor(pool: CorePool, signals: Signals) {
    super(pool, QUEUE)
    this.#signals = signals
  }

  async scheduleReplacement(transaction: pg.ClientBase, analysisId: string): Promise<void> {
    const { rows } = await transaction.query<SecretReplacement>(CLIENT, [analysisId])
    if (rows[0]) {
      await this.enqueue({ key: analysisId, data: rows[0] }, transaction)
      afterCommit(transaction, () => this.#signals.notify(topicOf(QUEUE)))
    }
  }

  /** For all analyses that a node approved in a project that it has left. */
  async scheduleInProject(
    transaction: pg.ClientBase,
    { projectId, nodeId }: { readonly projectId: string; readonly nodeId: string }
  ): Promise<void> {
    const { rows } = await transaction.query<{ id: string }>(APPROVED_BY_NODE, [projectId, nodeId])
    for (const { id } of rows) {
      await this.scheduleReplacement(transaction, id)
    }
  }
}

interface SecretReplacementWorkerOptions {
  readonly tasks: SecretReplacements
  readonly provider: ClientProvider
  readonly records: RecordServiceOptions
  readonly logger: Pick<Logger, 'warn'>
}

/** Sets new secrets, which are not returned. The provider revokes the tokens of the client with that. */
export function secretReplacementWorker({
  tasks,
  provider,
  records,
  logger,
}: SecretReplacementWorkerOptions): TaskWorker<SecretReplacement> {
  return {
    tasks,
    concurrency: 4,
    async perform({ key, data: { clientId } }) {
      const clients = await requireClients(provider)
      const origin = await serviceOrigin()
      if (await clients.rotate(clientId, { secret: newClientSecret() })) {
        await recordReplacedSecret(analysis, records, origin, key)
      }
    },
    onFailure(error, { key, attempts }) {
      logger.warn(
        { err: error, analysis: key, attempts },
        'the secret of an analysis could not be replaced; it is retried later'
      )
    },
  }
}

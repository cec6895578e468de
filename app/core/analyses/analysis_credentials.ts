import { analysis as kind } from './analysis.js'
import { reachOfAnalysis, requireClientAccess } from './client_access.js'
import { clientDirectory, clientIdOf, readAnalysis } from './client_of_analysis.js'
import { credentialsOf, type ClientCredentials } from '#core/nodes/credentials'
import { newClientSecret } from '#core/clients/client_secret'
import type { Origin } from '#kernel/origin'
import type { Values } from '#records/kind'
import { changeOf } from '#records/record_change'
import type { RecordServiceOptions } from '#records/record_service'
import { RecordStore } from '#records/record_store'
import { noteSecretRead } from '#audit/security_events'
import { inTransaction } from '#records/transaction'

/**
 * What analyses log in with. It is for those who may change the analysis, and for the nodes that agreed to run it.
 */
export class AnalysisCredentials {
  readonly #options: RecordServiceOptions

  constructor(options: RecordServiceOptions) {
    this.#options = options
  }

  async read(origin: Origin, id: string): Promise<ClientCredentials> {
    const analysis = await this.#accessible(origin, id)
    const clients = await clientDirectory()
    const within = reachOfAnalysis(origin.actor)
    const client = await clients.read(clientIdOf(analysis), { secret: true, within })
    await noteRead(origin, analysis)
    return credentialsOf(client)
  }

  /** Sets another secret, one that is made up where none is given. */
  async rotate(origin: Origin, id: string, secret = newClientSecret()): Promise<ClientCredentials> {
    const analysis = await this.#accessible(origin, id)
    const clients = await clientDirectory()
    const clientId = clientIdOf(analysis)
    await noteRead(origin, analysis)
    const within = reachOfAnalysis(origin.actor)
    const client = credentialsOf(await clients.rotate(clientId, { secret }, within))
    await this.#remember(origin, analysis)
    return { ...client, secret }
  }

  async #accessible(origin: Origin, id: string): Promise<Values> {
    const analysis = await readAnalysis(origin, id)
    await requireClientAccess(this.#options.pool, origin.actor, analysis)
    return analysis
  }

  /** The record stays as it is; that its secret is another one is kept for good. */
  #remember(origin: Origin, { id }: Values): Promise<void> {
    const { pool, sink } = this.#options
    return inTransaction(pool, async (transaction) => {
      const now = await new RecordStore(kind, pool).lock(transaction, id as string)
      if (now) {
        const change = changeOf(kind, origin, { type: 'updated', previous: now, next: now })
        await sink.record(transaction, { ...change, replacesSecrets: true })
      }
    })
  }
}

/** Before a secret is shown: one that nobody could note is not. */
function noteRead(origin: Origin, analysis: Values): Promise<void> {
  const realmId = analysis.realmId as string
  return noteSecretRead(origin, { kind: 'client', id: clientIdOf(analysis), realmId })
}

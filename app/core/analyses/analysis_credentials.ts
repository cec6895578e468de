import { inject } from '@adonisjs/core'

import { CoreRecords } from '#core/core_records'
import { analysis as kind, type Analysis } from './analysis.js'
import { reachOfAnalysis, requireClientAccess } from './client_access.js'
import { clientDirectory, clientIdOf, readAnalysis } from './read_analysis.js'
import { toCredentials, type ClientCredentials } from '#core/nodes/node_credentials'
import { newClientSecret } from '#core/clients/client_secret'
import { recordReplacedSecret } from '#core/clients/replaced_secret'
import type { Origin } from '#kernel/origin'
import type { Row } from '#records/row'
import { recordSecretRead } from '#audit/record_security_event'

/** Credentials of analyses, for actors that may update the analysis and for nodes that approved it. */
@inject()
export class AnalysisCredentials {
  readonly #records: CoreRecords

  constructor(records: CoreRecords) {
    this.#records = records
  }

  async read(origin: Origin, id: string): Promise<ClientCredentials> {
    const analysis = await this.#accessible(origin, id)
    const clients = await clientDirectory()
    const within = reachOfAnalysis(origin.actor)
    const client = await clients.read(clientIdOf(analysis), { secret: true, within })
    await recordRead(origin, analysis)
    return toCredentials(client)
  }

  /** Replaces the secret, by default with a random one. */
  async rotate(origin: Origin, id: string, secret = newClientSecret()): Promise<ClientCredentials> {
    const analysis = await this.#accessible(origin, id)
    const clients = await clientDirectory()
    const clientId = clientIdOf(analysis)
    await recordRead(origin, analysis)
    const within = reachOfAnalysis(origin.actor)
    const client = toCredentials(await clients.rotate(clientId, { secret }, within))
    await recordReplacedSecret(kind, this.#records, origin, id)
    return { ...client, secret }
  }

  async #accessible(origin: Origin, id: string): Promise<Row<typeof Analysis>> {
    const analysis = await readAnalysis(origin, id)
    await requireClientAccess(this.#records.pool, origin.actor, analysis)
    return analysis
  }
}

/** Recorded before the secret is returned: no secret is read without an audit event. */
function recordRead(origin: Origin, analysis: Row<typeof Analysis>): Promise<void> {
  const { realmId } = analysis
  return recordSecretRead(origin, { kind: 'client', id: clientIdOf(analysis), realmId })
}

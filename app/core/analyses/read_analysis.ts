import app from '@adonisjs/core/services/app'

import { analysis, type Analysis } from './analysis.js'
import { AnalysisService } from './analysis_service.js'
import { identityProvider } from '#core/clients/identity_provider'
import { BadRequest } from '#kernel/failures'
import { requireClients } from '#core/clients/client_directory'
import type { ClientDirectory } from '#auth/provider'
import { decode } from '#query/decode'
import type { Origin } from '#kernel/origin'
import type { Row } from '#records/row'

const { selection: EVERYTHING } = decode(analysis.declaration, '', 'record')

/** Reads an analysis with all of its attributes; throws if it does not exist. */
export async function readAnalysis(origin: Origin, id: string): Promise<Row<typeof Analysis>> {
  const analyses = await app.container.make(AnalysisService)
  return JSON.parse(await analyses.read(origin, id, EVERYTHING))
}

/** The id of the client of an analysis; throws if it has none. */
export function clientIdOf({ clientId }: Row<typeof Analysis>): string {
  if (clientId === null) {
    throw new BadRequest('The analysis has no client at the identity provider yet: try again later')
  }
  return clientId
}

/** The client directory of the identity provider. */
export async function clientDirectory(): Promise<ClientDirectory> {
  return requireClients(await identityProvider())
}

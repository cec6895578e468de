import { randomUUID } from 'node:crypto'

import type { Caller } from './caller.js'
import type { People } from './people.js'

export interface Site {
  readonly id: string
  readonly realmId: string
  readonly program: Caller
}

/** Everybody whom an analysis meets, and the nodes. */
export interface Cast {
  /** Realms that take part: the one whose analysis it is, and the one that has the data. */
  readonly realms: { readonly research: string; readonly site: string }
  readonly registryId: string
  /** May do everything. */
  readonly admin: Caller
  /** May do everything in the realm of the analysis. */
  readonly researcher: Caller
  /** Is of the realm of the analysis, and may do nothing. */
  readonly guest: Caller
  /** May do everything in the realm with the data. */
  readonly steward: Caller
  /** May do everything in a realm that has no part in it. */
  readonly stranger: Caller
  readonly data: Site
  readonly aggregator: Site
  /** A node of the realm with the data, which has no part in it. */
  readonly bystander: Site
}

export async function castOf(people: People, registryHost: string): Promise<Cast> {
  const { admin } = people
  const [research, site] = [await people.realm(), await people.realm()]
  const registry = await admin.done('core', 'POST', '/registries', {
    name: `registry-${randomUUID()}`,
    host: registryHost,
    accountName: 'admin',
    accountSecret: 'Harbor12345',
  })
  const node = async (realmId: string, type: string): Promise<Site> => {
    const body = { name: `node-${randomUUID()}`, realmId, type, registryId: registry.id }
    const { id } = await admin.done('core', 'POST', '/nodes', body)
    return { id, realmId, program: await people.programOf(id) }
  }
  return {
    realms: { research, site },
    registryId: registry.id,
    admin,
    researcher: await people.member(research),
    guest: await people.member(research, []),
    steward: await people.member(site),
    stranger: await people.member(await people.realm()),
    data: await node(site, 'default'),
    aggregator: await node(research, 'aggregator'),
    bystander: await node(site, 'default'),
  }
}

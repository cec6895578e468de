import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { serviceOrigin } from '#auth/service_origin'
import { inTransaction } from '#records/transaction'
import { unlessGone } from '#records/unless_gone'

import { IS_DUE, type Place } from './registry_links.js'
import { RegistryService } from './registry_service.js'
import { corePool, registryLinks } from './work.js'

/** Has everything removed that the platform has in a registry, and then the record of the registry. Answers where that is. */
export function beginRemoval(registryId: string): Promise<Place[]> {
  return inTransaction(corePool(), async (transaction) => {
    await transaction.query(
      `insert into registry_states (registry_id, is_leaving) select id, true from registries where id = $1 for key share
       on conflict (registry_id) do update set is_leaving = true, rests_until = null`,
      [registryId]
    )
    return partAll(transaction, registryId)
  })
}

/** Removes the records of registries that are to be left and in which nothing is left. Answers how many. */
export async function completeRemovals(): Promise<number> {
  const { rows } = await corePool().query<{ id: string }>(
    `select registry_id as id from registry_states s where is_leaving and not exists (
       select 1 from registry_links l where l.registry_id = s.registry_id
         and (${IS_DUE} or not l.is_parted))`
  )
  const registries = await app.container.make(RegistryService)
  for (const { id } of rows) {
    await unlessGone(registries.take(await serviceOrigin(), id))
  }
  return rows.length
}

async function partAll(transaction: pg.ClientBase, registryId: string): Promise<Place[]> {
  const { rows } = await transaction.query<Place>(
    `update registry_links set is_parted = true where registry_id = $1
     returning registry_id as "registryId", external_name as "externalName"`,
    [registryId]
  )
  await registryLinks().putAll(transaction, rows)
  return rows
}

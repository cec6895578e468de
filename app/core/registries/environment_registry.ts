import app from '@adonisjs/core/services/app'

import { serviceOrigin } from '#auth/service_origin'
import { unseal } from '#records/sealing'
import { inTransaction } from '#records/transaction'
import { env } from '#start/env'

import { RegistryService } from './registry_service.js'
import { corePool } from './work.js'

const NAME = 'default'

type Harbor = NonNullable<typeof env.HARBOR_URL>

/**
 * Enters the registry of `HARBOR_URL`, or gives the one that is there its account; where it is stays as it was entered. Answers
 * its id, undefined where the environment names none or nothing changed.
 */
export async function enterHarbor(harbor: Harbor | undefined = env.HARBOR_URL) {
  if (!harbor) {
    return undefined
  }
  const { host, accountName, accountSecret } = harbor
  const origin = await serviceOrigin()
  const registries = await app.container.make(RegistryService)
  return inTransaction(corePool(), async (transaction) => {
    const { rows } = await transaction.query(
      `select id, account_name as "accountName", account_secret as "accountSecret"
       from registries where name = $1 for update`,
      [NAME]
    )
    const [known] = rows
    if (!known) {
      const values = { name: NAME, host, accountName, accountSecret }
      return registries.enter(transaction, origin, values)
    }
    const knownSecret = unseal('registry account', known.accountSecret)
    if (known.accountName === accountName && knownSecret === accountSecret) {
      return undefined
    }
    const account = { accountName, accountSecret }
    await registries.changeAccount(transaction, origin, known.id, account)
    return known.id as string
  })
}

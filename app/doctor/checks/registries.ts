import type { RegistryAccess, RegistryDriver } from '#core/registries/registry_driver'
import { createRegistryDriver } from '#core/registries/create_registry_driver'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'
import { unseal } from '#records/sealing'

const MAX_ROWS = 50
const REGISTRIES = `select r.id, host, r.account_name as "accountName", r.account_secret as "accountSecret", problem,
  w.account_id as "notedId", w.account_name as "notedName"
  from registries r left join registry_workers w on w.registry_id = r.id
  where r.account_name is not null and r.account_secret is not null order by name limit ${MAX_ROWS}`
const LINKS = `select r.host, l.external_name as name, l.problem from registry_links l
  join registries r on r.id = l.registry_id where l.problem is not null order by r.name, l.external_name limit ${MAX_ROWS}`
const TLS = /certificate|self.signed|issuer|altname|ERR_TLS/i

interface RegistryRow extends RegistryAccess {
  readonly id: string
  /** Why the worker has no account there. */
  readonly problem: string | null
  /** The recorded account of the worker: a new prefix renames all accounts. */
  readonly notedId: string | null
  readonly notedName: string | null
}

/** Checks the accounts of the platform and of the worker at each registry. */
export const registriesCheck: Check = {
  name: 'registries',
  async run(context) {
    const { pool } = context.databaseOf('core') ?? {}
    if (!pool) {
      return NOT_USED
    }
    const { rows } = await pool.query<RegistryRow>(REGISTRIES)
    if (rows.length === 0) {
      return NOT_USED
    }
    const found = await Promise.all(rows.map((registry) => checkRegistry(registry)))
    const links = await pool.query<{ host: string; name: string; problem: string }>(LINKS)
    return [
      ...found.flat(),
      ...rows.flatMap((registry) => workerFindings(registry)),
      ...links.rows.map(({ host, name, problem }) =>
        finding('REGISTRY_LINK', `${host}, ${name}, ${problem}`)
      ),
    ]
  },
}

async function checkRegistry(registry: RegistryRow): Promise<Finding[]> {
  const { host, accountName, accountSecret } = registry
  const secret = unseal('registry account', accountSecret)
  if (secret === null) {
    return [
      finding('REGISTRY_UNREACHABLE', `${host}, its secret was encrypted with another APP_KEY`),
    ]
  }
  try {
    const driver = createRegistryDriver({ host, accountName, accountSecret: secret })
    await driver.requireAccount()
    return await checkAccountName(driver, registry)
  } catch (error) {
    const { message } = error as Error
    const reason = `${host}, ${message}; ${reasonOf(error)}`
    return [finding(TLS.test(reason) ? 'REGISTRY_UNTRUSTED' : 'REGISTRY_UNREACHABLE', reason)]
  }
}

async function checkAccountName(
  driver: RegistryDriver,
  { host, notedId, notedName }: RegistryRow
): Promise<Finding[]> {
  const name = notedId === null ? null : await driver.findAccountName(notedId)
  return name === null || name === notedName
    ? []
    : [finding('REGISTRY_ACCOUNTS_RENAMED', `${host}, ${notedName} is now ${name}`)]
}

function workerFindings({ id, host, problem }: RegistryRow): Finding[] {
  return problem === null
    ? []
    : [finding('REGISTRY_WORKER', `${host}, worker-${id} or master-${id}, ${problem}`)]
}

import { EXIT } from '#hubctl/exit_codes'
import { findRecord, type NamedRecord, type RecordCollection } from '#hubctl/kinds/find_record'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { ApiError } from '#hubctl/platform/api_error'
import { Problem } from '#hubctl/problem'

/** The record with this name, which is created if there is none. */
export async function ensureNamed(
  api: Api,
  collection: RecordCollection,
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  where?: string
): Promise<NamedRecord> {
  try {
    return await findRecord(api, collection, name, { where })
  } catch (error) {
    if (!(error instanceof Problem) || error.exitCode !== EXIT.notFound) {
      throw error
    }
    return create(api, collection, { name, ...attributes })
  }
}

/** The record that joins two others, which is created if there is none. */
export async function ensureJoined(
  api: Api,
  collection: RecordCollection,
  attributes: Readonly<Record<string, string>>
): Promise<NamedRecord> {
  const [found] = await allOf<NamedRecord>(api, collection.service, collection.path, {
    query: Object.entries(attributes).map(([name, value]) => [`filter[${name}]`, value]),
  })
  return found ?? create(api, collection, attributes)
}

/** Grants a role, unless it is granted already. */
export async function ensureRole(
  api: Api,
  owner: 'user' | 'client',
  id: string,
  roleId: string
): Promise<void> {
  try {
    await api.change('POST', 'identity', `/${owner}-roles`, { [`${owner}Id`]: id, roleId })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) {
      throw error
    }
  }
}

async function create(
  api: Api,
  { service, path }: RecordCollection,
  attributes: Readonly<Record<string, unknown>>
): Promise<NamedRecord> {
  const created = await api.change<{ data: NamedRecord }>('POST', service, path, attributes)
  return created!.data
}

import { randomBytes, randomUUID } from 'node:crypto'

export type StoredRecord = Record<string, any> & { id: string }

interface Reply {
  status: number
  body: object
}

const PAGE = 50

/**
 * The records API of a stand-in provider, in memory: lists in pages, filters by equality, names that are unique.
 */
export class Records {
  readonly #tables = new Map<string, StoredRecord[]>()

  table(name: string): StoredRecord[] {
    let records = this.#tables.get(name)
    if (!records) {
      records = []
      this.#tables.set(name, records)
    }
    return records
  }

  add(table: string, values: Record<string, unknown>): StoredRecord {
    const record = { id: randomUUID(), ...values }
    this.table(table).push(record)
    return record
  }

  /** Handles a records request; undefined for other paths. */
  answer(method: string, url: URL, body: Record<string, unknown>): Reply | undefined {
    const [table = '', id, ...rest] = url.pathname.split('/').filter(Boolean)
    if (!TABLES.includes(table) || rest.length > 0) {
      return undefined
    }
    if (id === undefined) {
      return method === 'POST' ? this.#create(table, body) : this.#list(table, url.searchParams)
    }
    const wanted = decodeURIComponent(id)
    const found = this.table(table).find((record) => record.id === wanted || record.name === wanted)
    if (!found) {
      return { status: 404, body: failure(404, 'entity_not_found') }
    }
    return this.#one(table, found, method, url.searchParams, body)
  }

  #create(table: string, body: Record<string, unknown>): Reply {
    const identity =
      table === 'client-permissions' ? ['clientId', 'permissionId'] : ['name', 'realmId']
    const isThere = this.table(table).some((record) =>
      identity.every((key) => record[key] === body[key])
    )
    if (isThere) {
      return CONFLICT
    }
    if (table === 'clients' && !(isName(body.name) && this.#hasRealm(body.realmId))) {
      return REFUSED
    }
    const secret = table === 'clients' ? { secret: randomBytes(32).toString('hex') } : {}
    return { status: 201, body: { data: shown(this.add(table, { ...secret, ...body })), meta: {} } }
  }

  #list(table: string, query: URLSearchParams): Reply {
    const filters = [...query].filter(([key]) => key.startsWith('filter['))
    const matching = this.table(table).filter((record) =>
      filters.every(([key, value]) => String(record[key.slice(7, -1)]) === value)
    )
    const offset = Number(query.get('page[offset]') ?? 0)
    const limit = Math.min(PAGE, Number(query.get('page[limit]') ?? PAGE))
    const data = matching.slice(offset, offset + limit).map((record) => this.#joined(record))
    return { status: 200, body: { data, meta: { total: matching.length, limit, offset } } }
  }

  #one(
    table: string,
    record: StoredRecord,
    method: string,
    query: URLSearchParams,
    body: Record<string, unknown>
  ): Reply {
    if (method === 'DELETE') {
      this.table(table).splice(this.table(table).indexOf(record), 1)
    } else if (method === 'POST') {
      const { name = record.name } = body
      if (
        this.table(table).some((other) => other !== record && isSame(other, { ...record, name }))
      ) {
        return CONFLICT
      }
      if (!isName(name)) {
        return REFUSED
      }
      Object.assign(record, body)
    }
    const data = query.get('fields') === '+secret' ? record : shown(record)
    return { status: method === 'GET' ? 200 : 202, body: { data, meta: {} } }
  }

  #hasRealm(id: unknown): boolean {
    return this.table('realms').some((realm) => realm.id === id)
  }

  #joined(record: StoredRecord): StoredRecord {
    const permission = this.table('permissions').find(({ id }) => id === record.permissionId)
    return shown(permission ? { ...record, permission } : record)
  }
}

const TABLES = [
  ...['realms', 'users', 'clients', 'permissions', 'sessions'],
  ...['client-permissions', 'user-permissions', 'role-permissions', 'client-roles', 'user-roles'],
]

const isName = (name: unknown) => /^[\w.-]{3,128}$/.test(String(name))

const isSame = (one: StoredRecord, other: StoredRecord) =>
  one.name === other.name && one.realmId === other.realmId

function shown({ secret, password, ...rest }: StoredRecord): StoredRecord {
  return rest as StoredRecord
}

const CONFLICT = { status: 409, body: failure(409, 'entity_conflict') }
const REFUSED = { status: 400, body: failure(400, 'bad_request') }

export function failure(statusCode: number, code: string) {
  return { statusCode, code, message: code, issues: [] }
}

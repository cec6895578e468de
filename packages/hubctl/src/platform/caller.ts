import type { Api } from './api.js'
import { ApiError } from './api_error.js'

/** The current login, as the identity provider describes it. */
export interface Caller {
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly realmId: string | null
  readonly realm: string | null
  readonly permissions: readonly string[]
  readonly expiresAt: string | null
}

interface Introspection {
  readonly active: boolean
  readonly sub?: string
  readonly sub_kind?: string
  readonly sub_name?: string
  readonly name?: string
  readonly realm_id?: string
  readonly realm_name?: string
  readonly exp?: number
  readonly permissions?: readonly { name: string }[]
}

/** Reads the current login; undefined if the provider does not describe it. */
export async function readCaller(api: Api): Promise<Caller | undefined> {
  const token = await api.token()
  if (token === undefined) {
    return undefined
  }
  try {
    const answer = await api.read<Introspection>('identity', '/token/introspect', {
      method: 'POST',
      json: { token },
    })
    return answer.active ? callerFrom(answer) : undefined
  } catch (error) {
    if (error instanceof ApiError) {
      return undefined
    }
    throw error
  }
}

function callerFrom(answer: Introspection): Caller {
  const { exp, permissions = [] } = answer
  return {
    kind: answer.sub_kind ?? 'user',
    id: answer.sub ?? '',
    name: answer.sub_name ?? answer.name ?? '',
    realmId: answer.realm_id ?? null,
    realm: answer.realm_name ?? null,
    permissions: [...new Set(permissions.map(({ name }) => name))].sort(),
    expiresAt: exp === undefined ? null : new Date(exp * 1000).toISOString(),
  }
}

/** Whether the caller may write records of a realm: members of the master realm may in all of them. */
export function mayWriteIn(caller: Caller, realmId: string): boolean {
  return caller.realm === 'master' || caller.realmId === realmId
}

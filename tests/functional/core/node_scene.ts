import { realm } from '#identity/realms/realm'
import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

type Headers = globalThis.Headers

/** Creates a realm at the identity provider. */
export async function newRealm(): Promise<string> {
  const { id } = await sampleRecord('identity', realm)
  return id as string
}

/** A caller of an ordinary realm. */
export const member = (
  realmId: string,
  permissions: string[],
  traits: Partial<Omit<Actor, 'permissions'>> = {}
) => identity({ realmId, realmName: 'site', permissions, ...traits })

export const uniqueName = (stem = 'name') => `${stem}-${clock.uuid().slice(0, 13)}`

/** Sends a request to core, anonymous without headers. */
export async function call(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {}
): Promise<Answer> {
  const response = await fetch(at('core', path), {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

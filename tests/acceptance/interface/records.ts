import { randomUUID } from 'node:crypto'

import { address } from './installation.js'
import { accessToken } from './login.js'

type Cleanup = (handler: () => Promise<void>) => void
type Fields = Record<string, unknown>

/** A record as core answered it. */
export type Stored = Fields & { id: string; createdAt: string; updatedAt: string }

export interface Answer {
  status: number
  headers: Headers
  body: any
}

interface Call {
  method?: string
  body?: object
  /** Null sends none. */
  token?: string | null
  headers?: Record<string, string>
}

/** The kinds of records that core keeps. */
export const KINDS = ['node', 'registry', 'registryProject', 'project', 'analysis'] as const
export type KindName = (typeof KINDS)[number]

interface KindInUse {
  collection: string
  body(cleanup: Cleanup): Fields | Promise<Fields>
}

/** A name that no other record has. */
export const uniqueName = () => `interface-${randomUUID()}`

/** The least that a new record of a kind needs. */
const KINDS_IN_USE: Record<KindName, KindInUse> = {
  node: { collection: '/nodes', body: () => ({ name: uniqueName() }) },
  registry: {
    collection: '/registries',
    body: () => ({ name: uniqueName(), host: `${uniqueName()}.example.org` }),
  },
  registryProject: {
    collection: '/registry-projects',
    body: async (cleanup) => ({
      name: uniqueName(),
      externalName: uniqueName(),
      type: 'default',
      registryId: (await create('registry', {}, cleanup)).id,
    }),
  },
  project: { collection: '/projects', body: () => ({ name: uniqueName() }) },
  analysis: {
    collection: '/analyses',
    body: async (cleanup) => ({
      name: uniqueName(),
      projectId: (await create('project', {}, cleanup)).id,
    }),
  },
}

/** Kinds of core whose paths every client knows. */
export const LISTED_KINDS = ['node', 'registry', 'project', 'analysis'] as const

/** Where a record of a kind is found, or all of them. */
export function pathOf(kind: KindName, id?: string): string {
  const { collection } = KINDS_IN_USE[kind]
  return id === undefined ? collection : `${collection}/${id}`
}

/** The body of a new record; the records it depends on are created and deleted. */
export async function bodyOf(kind: KindName, cleanup: Cleanup): Promise<Fields> {
  return KINDS_IN_USE[kind].body(cleanup)
}

/** Asks core, as a caller who may do everything unless another token is given. */
export async function call(
  path: string,
  { method = 'GET', body, token, headers = {} }: Call = {}
): Promise<Answer> {
  const bearer = token === undefined ? await accessToken() : token
  const response = await fetch(address('core', path), {
    method,
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

/** Creates a record and deletes it after the test. */
export async function create(kind: KindName, fields: Fields, cleanup: Cleanup): Promise<Stored> {
  const body = { ...(await bodyOf(kind, cleanup)), ...fields }
  const answer = await call(pathOf(kind), { method: 'POST', body })
  removeAfterwards(kind, answer, cleanup)
  return answer.body.data
}

/** Deletes what a request created, whether or not the test passes. Throws if it created nothing. */
export function removeAfterwards(kind: KindName, { status, body }: Answer, cleanup: Cleanup): void {
  if (status !== 201) {
    throw new Error(`No ${kind} was made: ${status} ${JSON.stringify(body)}`)
  }
  const path = pathOf(kind, body.data.id)
  cleanup(async () => requireDeleted(path, await call(path, { method: 'DELETE' })))
}

/** Throws if a record is left over for other tests to find. A test may have deleted its own. */
export function requireDeleted(path: string, { status, body }: Omit<Answer, 'headers'>): void {
  if (status !== 404 && (status < 200 || status > 299)) {
    throw new Error(`${path} was left behind: ${status} ${JSON.stringify(body)}`)
  }
}

/** Several nodes in the order of their names, and a filter that finds these only. */
export async function createNodes(
  count: number,
  cleanup: Cleanup
): Promise<{ nodes: Stored[]; these: string }> {
  const stem = uniqueName()
  const nodes: Stored[] = []
  for (let index = 0; index < count; index++) {
    nodes.push(await create('node', { name: `${stem}-${index}` }, cleanup))
  }
  return { nodes, these: `filter[id]=${nodes.map(({ id }) => id).join()}` }
}

/** The value each record of a list has for one of its fields. */
export const each = (field: string, { body }: Answer): any[] =>
  body.data.map((record: Fields) => record[field])

import { mkdir, rename, rm, writeFile } from 'node:fs/promises'

import type { Actor } from '#kernel/actor'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { env } from '#start/env'
import { bucketFile } from '#storage/bucket_files/bucket_file'
import { bucketLocation, objectAddress, type Layout } from '#storage/objects/layout'
import { storagePool } from '#storage/database'
import { objectStore } from '#storage/objects/store'
import { prepareLocation } from '#storage/objects/bucket_locations'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'
import { sha256 } from './files_scene.js'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

type Person = ReturnType<typeof identity>

/** A caller of an ordinary realm with only the given permissions. */
export const person = (
  realmId: string,
  permissions: string[] = [],
  traits: Partial<Omit<Actor, 'permissions'>> = {}
) => identity({ realmId, realmName: 'site', permissions, ...traits })

export const uniqueName = (stem = 'bucket') => `${stem}-${clock.uuid().slice(0, 13)}`

/** Sends a request to storage, anonymously by default. */
export async function callStorage(
  by: Person | undefined,
  method: string,
  path: string,
  body?: unknown
): Promise<Answer> {
  const response = await fetch(at('storage', path), {
    method,
    headers: { ...by?.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/** A bucket in the database, by default without owner and realm, with a location for its objects. */
export async function aBucket(given: Attributes = {}): Promise<Attributes & { id: string }> {
  const id = clock.uuid()
  await prepareLocation(id)
  const none = { actorId: null, actorType: null, realmId: null, refType: null, refId: null }
  const values: Attributes = { ...none, ...given }
  const { rows } = await storagePool().query(
    `insert into buckets (id, name, actor_id, actor_type, realm_id, ref_type, ref_id)
     values ($1, $2, $3, $4, $5, $6, $7) returning *`,
    [
      id,
      values.name ?? uniqueName(),
      values.actorId,
      values.actorType,
      values.realmId,
      values.refType,
      values.refId,
    ]
  )
  return { ...values, id, name: rows[0].name }
}

const CONTENT = 'content'

/** A file of a bucket with its object; by default of another caller without a realm. */
export async function aFile(
  bucketId: string,
  given: Attributes = {}
): Promise<Attributes & { id: string }> {
  const layout: Layout = await prepareLocation(bucketId)
  const hash = clock.uuid().replaceAll('-', '').repeat(2)
  const store = await objectStore()
  await store.put(objectAddress(layout, bucketId, hash), bytes(CONTENT))
  const { realmId = clock.uuid(), ...rest } = given
  return (await sampleRecord('storage', bucketFile, {
    bucketId,
    hash,
    layout,
    size: CONTENT.length,
    sha256: sha256(Buffer.from(CONTENT)),
    actorType: 'user',
    realmId,
    ...rest,
  })) as Attributes & { id: string }
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** The number of objects of a bucket. */
export async function objectsOf(bucketId: string, layout: Layout): Promise<number> {
  const store = await objectStore()
  const { container, prefix } = bucketLocation(layout, bucketId)
  const found = await Array.fromAsync(store.list(container, prefix))
  return found.length
}

/** Makes the store unavailable, like an unmounted disk; returns how to restore it. */
export async function withoutStore(): Promise<() => Promise<void>> {
  const aside = `${env.STORAGE_PATH}-aside`
  await mkdir(env.STORAGE_PATH, { recursive: true })
  await rename(env.STORAGE_PATH, aside)
  await writeFile(env.STORAGE_PATH, '')
  let isAway = true
  return async () => {
    if (isAway) {
      isAway = false
      await rm(env.STORAGE_PATH)
      await rename(aside, env.STORAGE_PATH)
    }
  }
}

/** The undelivered bus messages about a record. */
export async function eventsAbout(id: string): Promise<any[]> {
  const { rows } = await storagePool().query(
    `select content->'command' as message from outbox
     where content->'command'->'data'->>'id' = $1 order by position`,
    [id]
  )
  return rows.map(({ message }) => message)
}

import { request, type ClientRequest } from 'node:http'

import { formOf, multipart, type SentFile } from '#tests/functional/storage/files_scene'
import { storagePool } from '#storage/database'
import { bucketLocation } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import type { StorageProcess } from './storage_process.js'
import type { Speaker } from './tus.js'

/** A bucket of a platform that runs in another process, and what there is of it on both sides. */
export class RemoteBucket {
  readonly id: string
  readonly #store: ObjectStore
  #speaker: Speaker

  static async make(process: StorageProcess, store: ObjectStore): Promise<RemoteBucket> {
    const by = speakerOf(process)
    const answer = await fetch(`${by.base}/buckets`, {
      method: 'POST',
      headers: { ...by.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'remote' }),
    })
    const { data } = (await answer.json()) as { data: { id: string } }
    return new RemoteBucket(data.id, store, by)
  }

  private constructor(id: string, store: ObjectStore, speaker: Speaker) {
    this.id = id
    this.#store = store
    this.#speaker = speaker
  }

  /** Whom requests go to. */
  get speaker(): Speaker {
    return this.#speaker
  }

  /** From now on another process is asked. */
  moveTo(process: StorageProcess): void {
    this.#speaker = speakerOf(process)
  }

  async upload(files: readonly SentFile[]): Promise<{ status: number; body: any }> {
    const response = await this.#ask(`/buckets/${this.id}/upload`, 'POST', formOf(files))
    return { status: response.status, body: await response.json() }
  }

  /** An upload whose parts a test sends piece by piece. */
  openUpload(): ClientRequest {
    const { base, headers } = this.#speaker
    return request(`${base}/buckets/${this.id}/upload`, {
      method: 'POST',
      headers: { ...multipart(), ...headers },
      agent: false,
    })
  }

  /** The files that are listed. */
  async files(): Promise<{ id: string; path: string }[]> {
    const response = await this.#ask(`/bucket-files?filter[bucketId]=${this.id}&sort=path`)
    return ((await response.json()) as { data: { id: string; path: string }[] }).data
  }

  async content(fileId: string): Promise<Buffer> {
    const response = await this.#ask(`/bucket-files/${fileId}/stream`)
    return Buffer.from(await response.arrayBuffer())
  }

  async removeFile(fileId: string): Promise<void> {
    const response = await this.#ask(`/bucket-files/${fileId}`, 'DELETE')
    if (response.status !== 202) {
      throw new Error(await response.text())
    }
    await response.arrayBuffer()
  }

  async remains() {
    const { container } = bucketLocation('own', this.id)
    return {
      files: await this.#count('bucket_files'),
      claims: await this.#count('bucket_file_claims'),
      objects: (await Array.fromAsync(this.#store.list(container))).length,
      unfinished: (await Array.fromAsync(this.#store.unfinished(container))).length,
    }
  }

  async #count(table: string): Promise<number | null> {
    const text = `select 1 from ${table} where bucket_id = $1`
    return (await storagePool().query(text, [this.id])).rowCount
  }

  #ask(path: string, method = 'GET', body?: FormData): Promise<Response> {
    const { base, headers } = this.#speaker
    return fetch(base + path, { method, headers, body })
  }
}

function speakerOf({ base, token }: StorageProcess): Speaker {
  return { base, headers: { authorization: `Bearer ${token}` } }
}

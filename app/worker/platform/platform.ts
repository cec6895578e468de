import { errors } from '@vinejs/vine'

import { readText } from '#client/body'
import type { BodyValidator } from '#kernel/body'
import { tryParseJson } from '#kernel/try_parse_json'
import { ImageKey } from '#oci/signing/image_key'
import { request, type RequestOptions, type Service } from './platform_request.js'
import { PlatformResponseInvalid, PlatformUnavailable, reasonOf } from './platform_errors.js'
import { among, both, equal, PAGE, pageAt, queryOf } from './queries.js'
import { RECORDS, type Kind, type RecordOf } from './records.js'
import { inParallel } from '#kernel/in_parallel'

const COLLECTIONS: Readonly<Record<Kind, string>> = {
  analysis: '/analyses',
  analysisCode: '/analyses',
  analysisContent: '/analyses',
  analysisBucket: '/analysis-buckets',
  analysisBucketFile: '/analysis-bucket-files',
  analysisNode: '/analysis-nodes',
  bucketFile: '/bucket-files',
  bucketFiles: '/buckets',
  buildRegistry: '/analyses',
  masterImage: '/master-images',
  masterImageGroup: '/master-image-groups',
  node: '/nodes',
  registry: '/registries',
  registryProject: '/registry-projects',
  workerAccount: '/registries',
}

const PAGES_AT_ONCE = 4

const WITH_SECRET = { fields: '+accountSecret' }

/** The content of a file. */
export interface Content {
  /** SHA-256 in hex. Undefined if the platform does not report it. */
  readonly sha256: string | undefined
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface PlatformOptions extends RequestOptions {
  readonly core: Service
  readonly storage: Service
  readonly signal: AbortSignal
}

interface ReadOptions {
  readonly query?: string
  readonly below?: string
  readonly at?: 'core' | 'storage'
}

/**
 * Client for the platform, which may be another implementation. Sends the queries that all platforms support, and
 * returns undefined for missing records.
 */
export class Platform {
  readonly #options: PlatformOptions

  constructor(options: PlatformOptions) {
    this.#options = options
  }

  /** The same client bound to the signal of a job. */
  until(signal: AbortSignal): Platform {
    return new Platform({ ...this.#options, signal })
  }

  analysis(id: string): Promise<RecordOf<'analysis'> | undefined> {
    return this.#one('analysis', id)
  }

  /** Includes the master image, if the platform supports it. */
  analysisToBuild(id: string): Promise<RecordOf<'analysis'> | undefined> {
    return this.#one('analysis', id, { query: queryOf({ include: 'masterImage' }) })
  }

  /** The current content digest and approvals. Also undefined if the platform does not support it. */
  analysisContent(id: string): Promise<RecordOf<'analysisContent'> | undefined> {
    return this.#one('analysisContent', id, { below: '/content' })
  }

  /** All code files at once. Also undefined if the platform does not support it. */
  analysisCode(id: string): Promise<RecordOf<'analysisCode'> | undefined> {
    return this.#one('analysisCode', id, { below: '/code' })
  }

  /** The registry for a build, with account and projects. Undefined if the platform does not support it. */
  buildRegistry(analysisId: string): Promise<RecordOf<'buildRegistry'> | undefined> {
    return this.#one('buildRegistry', analysisId, { below: '/build-registry' })
  }

  masterImage(id: string): Promise<RecordOf<'masterImage'> | undefined> {
    return this.#one('masterImage', id)
  }

  masterImages(): Promise<RecordOf<'masterImage'>[]> {
    return this.#all('masterImage', {})
  }

  masterImageGroups(): Promise<RecordOf<'masterImageGroup'>[]> {
    return this.#all('masterImageGroup', {})
  }

  /** With its secret. */
  registry(id: string): Promise<RecordOf<'registry'> | undefined> {
    return this.#one('registry', id, { query: queryOf(WITH_SECRET) })
  }

  /** The worker account in a registry. Also undefined if the platform does not support it. */
  workerAccount(registryId: string): Promise<RecordOf<'workerAccount'> | undefined> {
    return this.#one('workerAccount', registryId, { below: '/worker/credentials' })
  }

  /** The account that may push master images. */
  masterAccount(registryId: string): Promise<RecordOf<'workerAccount'> | undefined> {
    return this.#one('workerAccount', registryId, { below: '/worker/master-credentials' })
  }

  /** All registries with their secrets, oldest first. */
  registries(): Promise<RecordOf<'registry'>[]> {
    return this.#all('registry', { ...WITH_SECRET, sort: 'createdAt' })
  }

  registryProjects(registryId: string): Promise<RecordOf<'registryProject'>[]> {
    return this.#all('registryProject', { filter: equal('registryId', registryId) })
  }

  async codeBucket(analysisId: string): Promise<RecordOf<'analysisBucket'> | undefined> {
    const filter = both(equal('analysisId', analysisId), equal('type', 'CODE'))
    const [found] = await this.#all('analysisBucket', { filter }, { isWhole: true })
    return found
  }

  files(analysisBucketId: string): Promise<RecordOf<'analysisBucketFile'>[]> {
    return this.#all('analysisBucketFile', {
      filter: equal('analysisBucketId', analysisBucketId),
    })
  }

  analysisNodes(analysisId: string): Promise<RecordOf<'analysisNode'>[]> {
    return this.#all('analysisNode', { filter: equal('analysisId', analysisId) })
  }

  /** The accepted signing keys. Empty if the platform does not sign images. */
  async imageKeys(): Promise<ImageKey[]> {
    const content = await this.#read(this.#options.core, '/image-keys')
    const { data } = (content ?? {}) as { data?: unknown }
    const keys = Array.isArray(data) ? data : []
    return keys.map(({ publicKey }) => ImageKey.from(String(publicKey), 'A key of the platform'))
  }

  /** With their registry projects. */
  async nodes(ids: readonly string[]): Promise<RecordOf<'node'>[]> {
    const found: RecordOf<'node'>[] = []
    for (let begin = 0; begin < ids.length; begin += PAGE) {
      const filter = among('id', ids.slice(begin, begin + PAGE))
      found.push(...(await this.#all('node', { filter, include: 'registryProject' })))
    }
    return found
  }

  /** All files of a bucket in storage at once. Also undefined if storage does not support it. */
  storedFiles(bucketId: string): Promise<RecordOf<'bucketFiles'> | undefined> {
    return this.#one('bucketFiles', bucketId, { below: '/files', at: 'storage' })
  }

  /** The files of a bucket in storage, page by page. */
  bucketFiles(bucketId: string): Promise<RecordOf<'bucketFile'>[]> {
    return this.#all('bucketFile', { filter: equal('bucketId', bucketId) }, {}, 'storage')
  }

  /**
   * All files of a bucket as a tar. Undefined if storage does not support it. Not retried: the caller can request
   * single files instead.
   */
  async bucket(
    bucketId: string,
    cancelled?: AbortSignal
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { storage: service } = this.#options
    const signal = AbortSignal.any([this.#options.signal, ...(cancelled ? [cancelled] : [])])
    const path = `/buckets/${encodeURIComponent(bucketId)}/stream`
    const headers = { 'accept': '*/*', 'accept-encoding': 'identity' }
    const options = { ...this.#options, retryForMs: 0 }
    const response = await request(options, { service, path, headers, signal, isStream: true })
    return response && bytesOf(service, response, signal)
  }

  /** The content of a file from an offset, with the digest of the whole file if storage reports it. */
  async content(bucketFileId: string, from = 0): Promise<Content | undefined> {
    const { storage: service, signal } = this.#options
    const path = `/bucket-files/${encodeURIComponent(bucketFileId)}/stream`
    const headers = {
      'accept': '*/*',
      'accept-encoding': 'identity',
      ...(from > 0 && { range: `bytes=${from}-` }),
    }
    const response = await request(this.#options, {
      service,
      path,
      headers,
      signal,
      isStream: true,
    })
    return (
      response && {
        sha256: sha256In(response.headers.get('repr-digest')),
        bytes: skipBytes(response.status === 206 ? 0 : from, bytesOf(service, response, signal)),
      }
    )
  }

  async #one<K extends Kind>(
    kind: K,
    id: string,
    { query, below = '', at = 'core' }: ReadOptions = {}
  ): Promise<RecordOf<K> | undefined> {
    const path = `${COLLECTIONS[kind]}/${encodeURIComponent(id)}${below}`
    const content = await this.#read(this.#options[at], path, query)
    return content === undefined ? undefined : parseRecord(kind, content)
  }

  async #all<K extends Kind>(
    kind: K,
    parts: Readonly<Record<string, string>>,
    { isWhole: isUnpaged = false } = {},
    at: 'core' | 'storage' = 'core'
  ): Promise<RecordOf<K>[]> {
    const page = async (offset: number) => {
      const query = queryOf({ ...parts, ...(!isUnpaged && pageAt(offset)) })
      return parseList(kind, await this.#read(this.#options[at], COLLECTIONS[kind], query))
    }
    const first = await page(0)
    const size = first.records.length
    const pages = [first.records]
    const offsets: number[] = []
    for (let offset = size; !isUnpaged && size > 0 && offset < first.total; offset += size) {
      offsets.push(offset)
    }
    await inParallel(offsets, PAGES_AT_ONCE, async (offset) => {
      const { records } = await page(offset)
      pages[offset / size] = records
    })
    return Promise.all(pages.flat().map((record) => parseRecord(kind, record)))
  }

  async #read(service: Service, path: string, query?: string): Promise<unknown> {
    const { signal } = this.#options
    const response = await request(this.#options, { service, path, query, signal })
    return response && jsonOf(service, response, signal)
  }
}

async function jsonOf(service: Service, response: Response, signal: AbortSignal): Promise<unknown> {
  let text: string
  try {
    text = await readText(response)
  } catch (error) {
    signal.throwIfAborted()
    throw new PlatformUnavailable(service.name, reasonOf(error), { cause: error })
  }
  const content = tryParseJson(text)
  if (typeof content !== 'object' || content === null) {
    throw new PlatformResponseInvalid('its records', `${service.name} returned something else`)
  }
  return content
}

/** Accepts a record with or without an envelope. */
async function parseRecord<K extends Kind>(kind: K, content: unknown): Promise<RecordOf<K>> {
  const validator: Pick<BodyValidator<RecordOf<K>>, 'validate'> = RECORDS[kind] as never
  const { data } = content as { data?: unknown }
  try {
    return await validator.validate(typeof data === 'object' && data !== null ? data : content)
  } catch (error) {
    if (error instanceof errors.E_VALIDATION_ERROR) {
      const paths = (error.messages as { path?: string[] }[]).map(({ path }) => path?.join('.'))
      throw new PlatformResponseInvalid(`a record (${kind})`, paths.join(', '), { cause: error })
    }
    throw error
  }
}

function parseList(kind: Kind, content: unknown): { records: unknown[]; total: number } {
  const { data, meta } = (content ?? {}) as { data?: unknown; meta?: { total?: unknown } }
  if (!Array.isArray(data)) {
    throw new PlatformResponseInvalid(`its records (${kind})`, 'it is not a list')
  }
  return { records: data, total: Number(meta?.total ?? data.length) }
}

const DIGEST = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/=]+):/

function sha256In(header: string | null): string | undefined {
  const [, digest] = DIGEST.exec(header ?? '') ?? []
  return digest && Buffer.from(digest, 'base64').toString('hex')
}

async function* bytesOf(
  service: Service,
  { body: bytes }: Response,
  signal: AbortSignal
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* bytes ?? []
  } catch (error) {
    signal.throwIfAborted()
    throw new PlatformUnavailable(service.name, reasonOf(error), { cause: error })
  }
}

/** A server that ignores ranges responds with the whole file. */
async function* skipBytes(
  skipped: number,
  bytes: AsyncIterable<Uint8Array>
): AsyncGenerator<Uint8Array, void, undefined> {
  let remaining = skipped
  for await (const chunk of bytes) {
    if (remaining < chunk.byteLength) {
      yield remaining > 0 ? chunk.subarray(remaining) : chunk
    }
    remaining = Math.max(0, remaining - chunk.byteLength)
  }
}

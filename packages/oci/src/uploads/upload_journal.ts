import { appendFileSync } from 'node:fs'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { clock } from '#kernel/clock'
import { tryParseJson } from '#kernel/try_parse_json'
import { removeFile } from '#kernel/remove_file'
import { isHeartbeatStale, startHeartbeat, touch } from '#kernel/file_heartbeat'
import { isObject } from '#oci/manifest'
import { Uploader } from './uploader.js'

/** Registries remove unfinished uploads within a week. */
const RETENTION_MS = 7 * 86_400_000
const MAX_PAUSE_MS = 10 * 60_000
const UPLOADS = /^\/v2\/(.+)\/blobs\/uploads\/$/

/** An upload that its process did not finish. The URL may contain a secret. */
export interface AbandonedUpload {
  /** Origin of the registry. */
  readonly origin: string
  readonly repository: string
  readonly at: URL
}

/**
 * Records uploads in progress in private files: written before the first byte is sent, removed when the upload ends.
 * Entries without a keepalive belong to crashed processes, and any process may cancel their uploads.
 */
export class UploadJournal {
  readonly uploader = new Uploader()
  readonly #folder: string
  readonly #refused = new Set<string>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<UploadJournal> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new UploadJournal(folder)
  }

  /** Creates an entry. Its file is written with the first URL. */
  newEntry(): JournalEntry {
    return new JournalEntry(join(this.#folder, `${clock.now()}-${clock.random(9).toString('hex')}`))
  }

  /** Whether cancelling this upload was not denied before. */
  isFirstRefusal({ path }: JournalEntry): boolean {
    const isFirst = !this.#refused.has(path)
    this.#refused.add(path)
    return isFirst
  }

  /** The entries without a keepalive. */
  async abandoned(): Promise<JournalEntry[]> {
    const entries: JournalEntry[] = []
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats && isHeartbeatStale(stats)) {
        entries.push(new JournalEntry(path))
      }
    }
    return entries
  }
}

/** The record of an upload: one line per URL, of which the last counts. */
export class JournalEntry {
  #stopKeepAlive: (() => void) | undefined

  constructor(readonly path: string) {}

  keepAlive(): void {
    this.#stopKeepAlive ??= startHeartbeat(this.path)
  }

  /** Records the new URL of an upload. */
  recordMove(startUrl: URL, at: URL): void {
    appendFileSync(this.path, `${JSON.stringify({ begun: startUrl, at })}\n`, { mode: 0o600 })
  }

  /** Stops the keepalive, so that another process can cancel the upload. */
  release(): void {
    this.#stopKeepAlive?.()
  }

  async remove(): Promise<void> {
    this.release()
    await removeFile(this.path)
  }

  /** Several, if a response was lost and the request was sent again. */
  async uploads(): Promise<AbandonedUpload[]> {
    const text = await readFile(this.path, 'utf8').catch(() => '')
    const uploads = new Map<string, AbandonedUpload>()
    for (const line of text.split('\n')) {
      const upload = parseLine(line)
      if (upload) {
        uploads.set(upload.at.pathname, upload)
      }
    }
    return [...uploads.values()]
  }

  /**
   * Delays the next attempt, longer each time. Returns false if the entry is so old that registries have removed the
   * upload.
   */
  async postpone(): Promise<boolean> {
    const ageMs = clock.now() - Number.parseInt(basename(this.path), 10)
    await touch(this.path, clock.now() + Math.min(ageMs / 2, MAX_PAUSE_MS))
    return ageMs < RETENTION_MS
  }
}

/** The last line of a crashed process may be incomplete. */
function parseLine(line: string): AbandonedUpload | undefined {
  const content = tryParseJson(line)
  const { begun: startUrl, at } = isObject(content) ? content : {}
  const [from, to] = [startUrl, at].map((url) => (typeof url === 'string' ? URL.parse(url) : null))
  const [, repository] = UPLOADS.exec(from?.pathname ?? '') ?? []
  return from && to && repository ? { origin: from.origin, repository, at: to } : undefined
}

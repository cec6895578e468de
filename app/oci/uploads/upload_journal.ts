import { appendFileSync } from 'node:fs'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { clock } from '#kernel/clock'
import { tryParseJson } from '#kernel/try_parse_json'
import { removeFile } from '#kernel/remove_file'
import { isHeartbeatStale, startHeartbeat, touch } from '#kernel/file_heartbeat'
import { isObject } from '#oci/manifest'
import { Uploader } from './uploader.js'

/** Registries themselves remove within a week what nobody finishes. */
const RETENTION_MS = 7 * 86_400_000
const MAX_PAUSE_MS = 10 * 60_000
const UPLOADS = /^\/v2\/(.+)\/blobs\/uploads\/$/

/** An upload that a process began and did not end. Its address may hold what stands for a secret. */
export interface AbandonedUpload {
  /** Of the registry. */
  readonly origin: string
  readonly repository: string
  readonly at: URL
}

/**
 * Where uploads are that are under way, in files that only this account reads: each is written before the first byte goes up and removed when the upload is over.
 * What nobody tends any more was left by a process that was killed, and can be taken back by any other.
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

  /** A note that is not yet there. */
  newEntry(): JournalEntry {
    return new JournalEntry(join(this.#folder, `${clock.now()}-${clock.random(9).toString('hex')}`))
  }

  /** Whether it was not known of an upload that nobody may take it back. */
  isFirstRefusal({ path }: JournalEntry): boolean {
    const isFirst = !this.#refused.has(path)
    this.#refused.add(path)
    return isFirst
  }

  /** The notes that nobody tends any more. */
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

/** What is noted of one upload: a line for each address that it had, of which the last counts. */
export class JournalEntry {
  #stopKeepAlive: (() => void) | undefined

  constructor(readonly path: string) {}

  keepAlive(): void {
    this.#stopKeepAlive ??= startHeartbeat(this.path)
  }

  /** The upload has another address. */
  recordMove(begun: URL, at: URL): void {
    appendFileSync(this.path, `${JSON.stringify({ begun, at })}\n`, { mode: 0o600 })
  }

  /** Leaves it to others. */
  release(): void {
    this.#stopKeepAlive?.()
  }

  async remove(): Promise<void> {
    this.release()
    await removeFile(this.path)
  }

  /** Where an answer was lost and the question asked anew, there may be several. */
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

  /** It is left alone for longer each time; answers false where it is so old that registries have taken back what it is about. */
  async postpone(): Promise<boolean> {
    const ageMs = clock.now() - Number.parseInt(basename(this.path), 10)
    await touch(this.path, clock.now() + Math.min(ageMs / 2, MAX_PAUSE_MS))
    return ageMs < RETENTION_MS
  }
}

/** The last line of a process that was killed may not be whole. */
function parseLine(line: string): AbandonedUpload | undefined {
  const content = tryParseJson(line)
  const { begun, at } = isObject(content) ? content : {}
  const [from, to] = [begun, at].map((url) => (typeof url === 'string' ? URL.parse(url) : null))
  const [, repository] = UPLOADS.exec(from?.pathname ?? '') ?? []
  return from && to && repository ? { origin: from.origin, repository, at: to } : undefined
}

import { appendFileSync } from 'node:fs'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { clock } from '#kernel/clock'
import { jsonIn } from '#kernel/json_in'
import { removeFile } from '#kernel/remove_file'
import { isLeftBehind, tend, touch } from '#kernel/tended_file'
import { isObject } from '#oci/manifest'
import { Uploader } from './uploader.js'

/** Registries themselves remove within a week what nobody finishes. */
const KEPT_MS = 7 * 86_400_000
const LONGEST_PAUSE_MS = 10 * 60_000
const UPLOADS = /^\/v2\/(.+)\/blobs\/uploads\/$/

/** An upload that a process began and did not end. Its address may hold what stands for a secret. */
export interface LeftUpload {
  /** Of the registry. */
  readonly origin: string
  readonly repository: string
  readonly at: URL
}

/**
 * Where uploads are that are under way, in files that only this account reads: each is written before the first byte goes up and removed when the upload is over.
 * What nobody tends any more was left by a process that was killed, and can be taken back by any other.
 */
export class UploadNotes {
  readonly uploader = new Uploader()
  readonly #folder: string
  readonly #refused = new Set<string>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<UploadNotes> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new UploadNotes(folder)
  }

  /** A note that is not yet there. */
  next(): UploadNote {
    return new UploadNote(join(this.#folder, `${clock.now()}-${clock.random(9).toString('hex')}`))
  }

  /** Whether it was not known of an upload that nobody may take it back. */
  isFirstRefusal({ path }: UploadNote): boolean {
    const isFirst = !this.#refused.has(path)
    this.#refused.add(path)
    return isFirst
  }

  /** The notes that nobody tends any more. */
  async left(): Promise<UploadNote[]> {
    const notes: UploadNote[] = []
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const found = await stat(path).catch(() => undefined)
      if (found && isLeftBehind(found)) {
        notes.push(new UploadNote(path))
      }
    }
    return notes
  }
}

/** What is noted of one upload: a line for each address that it had, of which the last counts. */
export class UploadNote {
  #leave: (() => void) | undefined

  constructor(readonly path: string) {}

  tend(): void {
    this.#leave ??= tend(this.path)
  }

  /** The upload has another address. */
  moved(begun: URL, at: URL): void {
    appendFileSync(this.path, `${JSON.stringify({ begun, at })}\n`, { mode: 0o600 })
  }

  /** Leaves it to others. */
  leave(): void {
    this.#leave?.()
  }

  async remove(): Promise<void> {
    this.leave()
    await removeFile(this.path)
  }

  /** Where an answer was lost and the question asked anew, there may be several. */
  async uploads(): Promise<LeftUpload[]> {
    const text = await readFile(this.path, 'utf8').catch(() => '')
    const uploads = new Map<string, LeftUpload>()
    for (const line of text.split('\n')) {
      const upload = uploadIn(line)
      if (upload) {
        uploads.set(upload.at.pathname, upload)
      }
    }
    return [...uploads.values()]
  }

  /** It is left alone for longer each time; answers false where it is so old that registries have taken back what it is about. */
  async postpone(): Promise<boolean> {
    const ageMs = clock.now() - Number.parseInt(basename(this.path), 10)
    await touch(this.path, clock.now() + Math.min(ageMs / 2, LONGEST_PAUSE_MS))
    return ageMs < KEPT_MS
  }
}

/** The last line of a process that was killed may not be whole. */
function uploadIn(line: string): LeftUpload | undefined {
  const said = jsonIn(line)
  const { begun, at } = isObject(said) ? said : {}
  const [from, to] = [begun, at].map((url) => (typeof url === 'string' ? URL.parse(url) : null))
  const [, repository] = UPLOADS.exec(from?.pathname ?? '') ?? []
  return from && to && repository ? { origin: from.origin, repository, at: to } : undefined
}

import { randomBytes, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { participantAt, type AssignedAnalysis } from '#node/analyses/assigned_analysis'
import { SealBroken } from '#node/errors'
import { retryWhileAway } from '#node/hub/retry_requests'
import { readEnvelope, sealedForAll } from '#node/seal/envelope'
import type { KeyPair } from '#node/seal/key_pair'
import { openFile, sealFile } from '#node/seal/sealed_file'
import type { AnalysisBuckets } from './analysis_buckets.js'

/** Intermediate files of an analysis: sealed before they leave the node, and removed when the analysis ends here. */
export class SealedFiles {
  readonly #analysis: () => AssignedAnalysis
  readonly #buckets: AnalysisBuckets
  readonly #keys: KeyPair
  readonly #signal: AbortSignal
  readonly #uploaded = new Set<string>()

  constructor(
    analysis: () => AssignedAnalysis,
    buckets: AnalysisBuckets,
    keys: KeyPair,
    signal: AbortSignal
  ) {
    this.#analysis = analysis
    this.#buckets = buckets
    this.#keys = keys
    this.#signal = signal
  }

  /** Seals a file for one node, or for all of the analysis, and returns its id at the hub. A hub that is away is waited for. */
  async upload(path: string, nodeId: string | undefined): Promise<string> {
    const sealed = `${path}.sealed`
    try {
      await (nodeId === undefined
        ? this.#sealForAll(path, sealed)
        : this.#sealFor(nodeId, path, sealed))
      const id = await retryWhileAway(
        () => this.#buckets.upload('TEMP', randomUUID(), sealed),
        this.#signal
      )
      this.#uploaded.add(id)
      return id
    } finally {
      await rm(sealed, { force: true })
    }
  }

  /** The content of a file that a node sealed for this one. Without a sender it is one that was sealed for all. */
  async download(id: string, senderId: string | undefined): Promise<Readable> {
    const bytes = await retryWhileAway(() => this.#buckets.download('TEMP', id), this.#signal)
    if (senderId === undefined) {
      return readEnvelope(bytes, this.#analysis(), this.#keys)
    }
    const opening = openFile(this.#keysWith(senderId))
    bytes.on('error', (error) => opening.destroy(error))
    return bytes.pipe(opening)
  }

  /** Removes what this node uploaded. A file that cannot be removed now goes with its analysis. */
  async removeUploaded(): Promise<void> {
    await Promise.allSettled([...this.#uploaded].map((id) => this.#buckets.remove(id)))
    this.#uploaded.clear()
  }

  async #sealFor(nodeId: string, from: string, to: string): Promise<void> {
    await pipeline(createReadStream(from), sealFile(this.#keysWith(nodeId)), sealedFileAt(to))
  }

  async #sealForAll(from: string, to: string): Promise<void> {
    const { header, sealing } = sealedForAll(randomBytes(32), this.#analysis(), this.#keys)
    const file = sealedFileAt(to)
    file.write(header)
    await pipeline(createReadStream(from), sealing, file)
  }

  #keysWith(nodeId: string) {
    const publicKey = participantAt(this.#analysis(), nodeId)?.publicKey
    if (!publicKey) {
      throw new SealBroken(
        `The node ${nodeId} is not assigned to the analysis, or has not published its key`
      )
    }
    return { privateKey: this.#keys.privateKey, publicKey }
  }
}

const sealedFileAt = (path: string) => createWriteStream(path, { flags: 'wx', mode: 0o600 })

import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline as connect, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { participantAt, type AssignedAnalysis } from '#node/analyses/assigned_analysis'
import { SealBroken } from '#node/errors'
import { retryWhileAway } from '#node/hub/retry_requests'
import { readHeader, type FileHeader } from '#node/seal/file_header'
import { openFormerFile, sealFormerFile } from '#node/seal/former_file'
import type { KeyPair } from '#node/seal/key_pair'
import { openSealedFile, SealedFile, type FileRecipient } from '#node/seal/sealed_file'
import type { AnalysisBuckets } from './analysis_buckets.js'

export interface SealedFilesOptions {
  readonly analysis: () => AssignedAnalysis
  readonly buckets: AnalysisBuckets
  readonly keys: KeyPair
  /** Whether a node supports only the former format of sealed files. */
  readonly sealsAsBefore: (nodeId: string) => boolean
  readonly signal: AbortSignal
}

/** Intermediate files of an analysis: encrypted before they leave the node, and removed when the analysis ends here. */
export class SealedFiles {
  readonly #options: SealedFilesOptions
  readonly #uploaded = new Set<string>()

  constructor(options: SealedFilesOptions) {
    this.#options = options
  }

  /**
   * Seals a file for one node, or for all nodes of the analysis, and returns its id at the hub. Waits for an
   * unavailable hub.
   */
  async upload(path: string, nodeId: string | undefined): Promise<string> {
    const { buckets, sealsAsBefore, signal } = this.#options
    const sealed = `${path}.sealed`
    try {
      const header =
        nodeId !== undefined && sealsAsBefore(nodeId)
          ? await this.#sealAsBefore(nodeId, path, sealed)
          : await this.#seal(this.#recipients(nodeId), path, sealed)
      const id = await retryWhileAway(
        () => buckets.upload('TEMP', randomUUID(), sealed, header),
        signal
      )
      this.#uploaded.add(id)
      return id
    } finally {
      await rm(sealed, { force: true })
    }
  }

  /**
   * Decrypts a file that a node of the analysis sealed for this one. The file names its sender, which must be
   * `senderId` if given. In the former format the sender is `senderId`, or else the client that stored the file.
   */
  async download(id: string, senderId: string | undefined): Promise<Readable> {
    const { buckets, signal } = this.#options
    const { bytes, clientId } = await retryWhileAway(() => buckets.download('TEMP', id), signal)
    try {
      const header = await readHeader(bytes)
      const opening = header
        ? this.#opening(header, senderId)
        : openFormerFile(this.#keysOfFormer(senderId ?? this.#nodeOf(clientId)))
      // Each stream ends with the other, and the reader gets the error.
      return connect(bytes, opening, () => {})
    } catch (error) {
      bytes.destroy()
      throw error
    }
  }

  /** Removes the files that this node uploaded. A file that cannot be removed now is deleted with its analysis. */
  async removeUploaded(): Promise<void> {
    const { buckets } = this.#options
    await Promise.allSettled([...this.#uploaded].map((id) => buckets.remove(id)))
    this.#uploaded.clear()
  }

  async #seal(recipients: readonly FileRecipient[], from: string, to: string): Promise<string> {
    const { analysis, keys } = this.#options
    const { id: analysisId, self } = analysis()
    const file = new SealedFile()
    await pipeline(createReadStream(from), file.chunks, sealedFileAt(to))
    return file.header({ analysisId, senderId: self.nodeId }, keys.privateKey, recipients)
  }

  async #sealAsBefore(nodeId: string, from: string, to: string): Promise<string> {
    const sealing = sealFormerFile(this.#keysWith(nodeId))
    await pipeline(createReadStream(from), sealing, sealedFileAt(to))
    return ''
  }

  /** The given node, or all nodes that have published a key and support the format. */
  #recipients(nodeId: string | undefined): readonly FileRecipient[] {
    const { analysis, sealsAsBefore } = this.#options
    if (nodeId !== undefined) {
      return [{ nodeId, publicKey: this.#keysWith(nodeId).publicKey }]
    }
    return analysis().participants.flatMap(({ nodeId: id, publicKey }) =>
      publicKey && !sealsAsBefore(id) ? [{ nodeId: id, publicKey }] : []
    )
  }

  #opening({ id: fileId, from, keys }: FileHeader, senderId: string | undefined) {
    const { id: analysisId, self } = this.#options.analysis()
    const sealedKey = Object.hasOwn(keys, self.nodeId) ? keys[self.nodeId] : undefined
    if (sealedKey === undefined) {
      throw new SealBroken('The file was not sealed for this node')
    }
    if (senderId !== undefined && senderId !== from) {
      throw new SealBroken(`The file was sealed by the node ${from}, not by ${senderId}`)
    }
    const context = { fileId, analysisId, senderId: from, recipientId: self.nodeId }
    return openSealedFile(sealedKey, this.#keysWith(from), context)
  }

  #keysOfFormer(nodeId: string | undefined) {
    if (nodeId === undefined || !this.#options.sealsAsBefore(nodeId)) {
      throw new SealBroken(
        'The file is not bound to its analysis and its sender. It is read only from nodes whose entry in the policy has "seal: former"'
      )
    }
    return this.#keysWith(nodeId)
  }

  #nodeOf(client: string | undefined): string | undefined {
    const { participants } = this.#options.analysis()
    return participants.find(({ clientId }) => clientId === client)?.nodeId
  }

  #keysWith(nodeId: string) {
    const { analysis, keys } = this.#options
    const publicKey = participantAt(analysis(), nodeId)?.publicKey
    if (!publicKey) {
      throw new SealBroken(
        `The node ${nodeId} is not assigned to the analysis, or has not published its key`
      )
    }
    return { privateKey: keys.privateKey, publicKey }
  }
}

const sealedFileAt = (path: string) => createWriteStream(path, { flags: 'wx', mode: 0o600 })

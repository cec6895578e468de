import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { writeWhole } from '#node/files/write_whole'
import type { RunResult } from './hub_analyses.js'

/** What a node remembers of a run over its own restart. */
export interface RunRecord {
  readonly analysisId: string
  readonly assignmentId: string
  readonly artifactDigest: string
  /** How often this node has started the analysis. */
  readonly restart: number
  /** Undefined while it runs. */
  readonly result: RunResult | undefined
  /** Whether the hub knows the result. */
  readonly isReported: boolean
}

/** The runs of a node, a file each. */
export class RunRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The runs whose result the hub does not know. */
  async unreported(): Promise<readonly RunRecord[]> {
    const records = await this.#all()
    return records.filter(({ isReported }) => !isReported)
  }

  /** The analyses whose result the hub knows. */
  async reported(): Promise<readonly string[]> {
    const records = await this.#all()
    return records.filter(({ isReported }) => isReported).map(({ analysisId }) => analysisId)
  }

  /** The last run of an analysis. */
  async find(analysisId: string): Promise<RunRecord | undefined> {
    const path = this.#pathOf(analysisId)
    return existsSync(path) ? readRecord(path) : undefined
  }

  async save(record: RunRecord): Promise<void> {
    await writeWhole(this.#pathOf(record.analysisId), JSON.stringify(record))
  }

  async remove(analysisId: string): Promise<void> {
    await rm(this.#pathOf(analysisId), { force: true })
  }

  async #all(): Promise<readonly RunRecord[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const records: RunRecord[] = []
    for (const name of await readdir(this.#folder)) {
      if (name.endsWith('.json')) {
        records.push(await readRecord(join(this.#folder, name)))
      }
    }
    return records
  }

  #pathOf(analysisId: string): string {
    return join(this.#folder, `${analysisId}.json`)
  }
}

const readRecord = async (path: string): Promise<RunRecord> =>
  JSON.parse(await readFile(path, 'utf8')) as RunRecord

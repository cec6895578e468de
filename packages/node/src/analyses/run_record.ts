import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { writeWhole } from '#node/files/write_whole'
import type { RunResult } from './hub_analyses.js'

/** The state of a run that survives a restart of the node. */
export interface RunRecord {
  readonly analysisId: string
  readonly assignmentId: string
  readonly artifactDigest: string
  /** The number of starts at this node. */
  readonly restart: number
  /** Undefined while it runs. */
  readonly result: RunResult | undefined
  /** Whether the result was reported. */
  readonly isReported: boolean
}

/** The runs of a node, a file each. */
export class RunRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The runs without a reported result. */
  async unreported(): Promise<readonly RunRecord[]> {
    const records = await this.#all()
    return records.filter(({ isReported }) => !isReported)
  }

  /** The analyses with a reported result. */
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

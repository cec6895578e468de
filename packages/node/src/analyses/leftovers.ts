import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

import type { Inbox } from '#node/messages/inbox'
import type { HubAnalyses } from './hub_analyses.js'
import type { RunRecords } from './run_record.js'

/** Each has at most 16 MiB. */
const MAX_OUTPUTS = 100

export interface LeftoversDependencies {
  readonly nodeId: string
  readonly analyses: HubAnalyses
  readonly records: RunRecords
  readonly inbox: Inbox
  /** The output of containers, a file for each analysis. */
  readonly outputFolder: string
}

/** Removes the local data of analyses that the node is no longer assigned to. Most of them are deleted at the hub. */
export class Leftovers {
  readonly #dependencies: LeftoversDependencies

  constructor(dependencies: LeftoversDependencies) {
    this.#dependencies = dependencies
  }

  /** `assigned` are the analyses in the list of the node. */
  async remove(assigned: ReadonlySet<string>, running: ReadonlySet<string>): Promise<void> {
    const { records, inbox } = this.#dependencies
    const printed = await this.#printed()
    const kept = new Set([...(await records.reported()), ...inbox.analysisIds, ...printed])
    const removed = new Set<string>()
    for (const analysisId of kept.difference(assigned).difference(running)) {
      // The list may have changed between two pages.
      if (!(await this.#isAssigned(analysisId))) {
        await this.#removeAllOf(analysisId)
        removed.add(analysisId)
      }
    }
    const ended = printed.filter((id) => !running.has(id) && !removed.has(id))
    for (const analysisId of ended.slice(MAX_OUTPUTS)) {
      await this.#removeOutputOf(analysisId)
    }
  }

  /** The analyses with stored output, the latest first. */
  async #printed(): Promise<string[]> {
    const { outputFolder } = this.#dependencies
    const names = await readdir(outputFolder).catch(() => [])
    const times = new Map<string, number>()
    for (const name of names) {
      const { mtimeMs } = await stat(join(outputFolder, name))
      times.set(basename(name, '.log'), mtimeMs)
    }
    return [...times.keys()].sort((one, other) => times.get(other)! - times.get(one)!)
  }

  async #isAssigned(analysisId: string): Promise<boolean> {
    const { analyses, nodeId } = this.#dependencies
    return (await analyses.assignment(nodeId, analysisId)) !== undefined
  }

  async #removeAllOf(analysisId: string): Promise<void> {
    const { records, inbox } = this.#dependencies
    await inbox.remove(analysisId)
    await this.#removeOutputOf(analysisId)
    await records.remove(analysisId)
  }

  async #removeOutputOf(analysisId: string): Promise<void> {
    await rm(join(this.#dependencies.outputFolder, `${analysisId}.log`), { force: true })
  }
}

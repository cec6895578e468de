import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { eventually } from '#tests/helpers/eventually'
import { Researcher, storeMasterImage } from '#tests/helpers/worker/researcher'

const ENDED = ['executed', 'failed']
const BUILT_WITHIN_MS = 300_000
/** Builds follow each other at once. */
const PACE: BuildPace = { fileBytes: 4 * 1024 ** 2, pauseMs: 0 }
/** A distribution does not follow, so one project serves all. */
const MASTER_IMAGE = { virtualPath: 'python/base', command: 'python3' }

/** How large the file of each analysis is, and what is waited before the next one. */
export interface BuildPace {
  readonly fileBytes: number
  readonly pauseMs: number
}

/** What every build needs. */
export interface BuildFacts {
  readonly researcher: Researcher
  readonly masterImageId: string
  readonly registryId: string
  readonly project: Record<string, any>
}

/** Creates what every build at an installation needs. */
export async function prepareBuilds(origin: string, databaseUrl: string): Promise<BuildFacts> {
  const researcher = await Researcher.at(origin)
  const registry = { name: 'local', host: 'local-images' }
  const { id: registryId } = await researcher.core('POST', '/registries', registry)
  const masterImageId = await storeMasterImage(databaseUrl, MASTER_IMAGE)
  const project = await researcher.project()
  return { researcher, masterImageId, registryId, project }
}

/** Creates, locks and builds one analysis after the other. */
export class Builder {
  executed = 0
  /** Analyses whose build was accepted. */
  readonly accepted: string[] = []
  readonly surprises: string[] = []
  readonly #facts: BuildFacts
  readonly #pace: BuildPace
  readonly #stopping: AbortSignal
  #underWay: string | undefined

  constructor(facts: BuildFacts, stopping: AbortSignal, pace = PACE) {
    this.#facts = facts
    this.#pace = pace
    this.#stopping = stopping
  }

  async run(): Promise<void> {
    while (!this.#stopping.aborted) {
      await this.#build().catch((error: Error) => void this.surprises.push(error.message))
      await delay(this.#pace.pauseMs)
    }
  }

  /** Waits until the worker is at work. */
  async isUnderWay(): Promise<void> {
    const { researcher } = this.#facts
    await eventually(async () => {
      const id = this.#underWay
      return id && (await researcher.core('GET', `/analyses/${id}`)).buildStatus === 'started'
    }, BUILT_WITHIN_MS)
  }

  /** How a build ended; undefined while it has not, or nobody answers. */
  async endOf(analysisId: string): Promise<string | undefined> {
    const { researcher } = this.#facts
    const analysis = await researcher.core('GET', `/analyses/${analysisId}`).catch(() => undefined)
    const status: string | undefined = analysis?.buildStatus
    return ENDED.find((each) => each === status)
  }

  async #build(): Promise<void> {
    const { researcher, masterImageId, registryId, project } = this.#facts
    const files = {
      'main.py': 'print(1)\n',
      'data/large.txt': randomBytes(this.#pace.fileBytes / 2).toString('hex'),
    }
    const id = await researcher.analysis(project, masterImageId, files, { registryId })
    await researcher.lockAndBuild(id)
    this.accepted.push(id)
    this.#underWay = id
    const { buildStatus } = await researcher.built(id, undefined, BUILT_WITHIN_MS)
    this.#underWay = undefined
    if (buildStatus === 'executed') {
      this.executed++
    } else {
      const why = await researcher.core('GET', `/analyses/${id}/explain`)
      this.surprises.push(`${id} was built: ${buildStatus}; ${JSON.stringify(why)}`)
    }
  }
}

import { randomBytes } from 'node:crypto'

import { eventually } from '#tests/helpers/eventually'
import { Researcher, storeMasterImage } from '#tests/helpers/worker/researcher'

const BUILT_WITHIN_MS = 300_000
const FILE_BYTES = 4 * 1024 ** 2
/** A distribution does not follow, so one project serves all. */
const MASTER_IMAGE = { virtualPath: 'python/base', command: 'python3' }

interface Facts {
  readonly researcher: Researcher
  readonly masterImageId: string
  readonly registryId: string
  readonly project: Record<string, any>
}

/** Creates, locks and builds one analysis after the other. */
export class Builder {
  executed = 0
  readonly surprises: string[] = []
  readonly #facts: Facts
  readonly #stopping: AbortSignal
  #underWay: string | undefined

  static async at(origin: string, databaseUrl: string, stopping: AbortSignal): Promise<Builder> {
    const researcher = await Researcher.at(origin)
    const registry = { name: 'local', host: 'local-images' }
    const { id: registryId } = await researcher.core('POST', '/registries', registry)
    const masterImageId = await storeMasterImage(databaseUrl, MASTER_IMAGE)
    const project = await researcher.project()
    return new Builder({ researcher, masterImageId, registryId, project }, stopping)
  }

  private constructor(facts: Facts, stopping: AbortSignal) {
    this.#facts = facts
    this.#stopping = stopping
  }

  async run(): Promise<void> {
    while (!this.#stopping.aborted) {
      await this.#build().catch((error: Error) => void this.surprises.push(error.message))
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

  async #build(): Promise<void> {
    const { researcher, masterImageId, registryId, project } = this.#facts
    const files = {
      'main.py': 'print(1)\n',
      'data/large.txt': randomBytes(FILE_BYTES / 2).toString('hex'),
    }
    const id = await researcher.analysis(project, masterImageId, files, { registryId })
    await researcher.lockAndBuild(id)
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

import { eventually } from '#tests/helpers/eventually'
import type { Caller } from './caller.js'
import type { Cast, Site } from './cast.js'
import { WrongTurns } from './wrong_turns.js'

export const SOON_MS = 100_000
/** How long buckets and the rows of files may take to be there. */
export const AT_ONCE_MS = 1_000

export const APPROVED = { approvalStatus: 'approved' }

export type BucketType = 'CODE' | 'RESULT' | 'TEMP'

/** One analysis, from the first to the last of its requests. */
export class Study {
  readonly cast: Cast
  readonly turns = new WrongTurns()
  projectId!: string
  analysisId!: string
  buckets: readonly any[] = []

  constructor(cast: Cast) {
    this.cast = cast
  }

  get path(): string {
    return `/analyses/${this.analysisId}`
  }

  read = (path = this.path) => this.cast.researcher.done('core', 'GET', path)

  command = (command: string, by = this.cast.researcher) =>
    by.core('POST', `${this.path}/command`, { command })

  async does(command: string): Promise<any> {
    return this.cast.researcher.done('core', 'POST', `${this.path}/command`, { command })
  }

  /** A command that the analysis is not ready for. */
  unready = (command: string, ...issues: string[]) =>
    this.turns.refused(this.command(command), 400, 'ANALYSIS_ERROR', ...issues)

  /** Resolves once the analysis shows these values. */
  reaches = (values: object) =>
    eventually(async () => {
      const seen = await this.read()
      return Object.entries(values).every(([name, value]) => seen[name] === value)
    }, SOON_MS)

  bucket(type: BucketType): any {
    return this.buckets.find((bucket) => bucket.type === type)
  }

  upload = (by: Caller, type: BucketType, name: string, text: string) =>
    by.upload(this.bucket(type).bucketId, name, text)

  /** What core knows of a file, once it knows of it. */
  fileOf = (type: BucketType, name: string, limitMs = SOON_MS) =>
    eventually(async () => {
      const query = `filter[analysisBucketId]=${this.bucket(type).id}&filter[path]=${name}`
      const [file] = await this.read(`/analysis-bucket-files?${query}`)
      return file
    }, limitMs)

  /** What a node has to do with the analysis. */
  async partOf({ id }: Site): Promise<any> {
    const parts = await this.read(`/analysis-nodes?filter[analysisId]=${this.analysisId}`)
    return parts.find(({ nodeId }: { nodeId: string }) => nodeId === id)
  }
}

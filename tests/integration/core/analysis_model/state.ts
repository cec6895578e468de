/** What is said to be so of an analysis in the reference model: no more than what callers and workers did to it. */
export type Status =
  'starting' | 'started' | 'stopping' | 'stopped' | 'executing' | 'executed' | 'failed'
export type Decision = 'approved' | 'rejected' | null
export type NodeType = 'default' | 'aggregator'
export type BucketType = 'CODE' | 'RESULT' | 'TEMP'
export type ProcessName = 'build' | 'distribution'

export const BUCKET_TYPES: readonly BucketType[] = ['CODE', 'RESULT', 'TEMP']

export interface NodeState {
  /** Another one with each node that takes its place. */
  key: number
  type: NodeType
  projectDecision: Decision
  hasRegistry: boolean
}

export interface ImageState {
  key: number
  version: number
}

export interface Assignment {
  node: number
  decision: Decision
  /** What was approved. */
  digest: string | null
  status: Status | null
  progress: number | null
}

export interface FileState {
  key: number
  bucket: number
  path: string
  root: boolean
}

export interface BucketState {
  readonly type: BucketType
  readonly bucket: number
  /** Made by the platform, one of each type. */
  readonly isBuiltIn: boolean
}

export interface RunState {
  number: number
  isAsked: boolean
  /** It failed because nobody was heard. */
  isGivenUp: boolean
  problem: string | null
}

export interface ProcessState {
  status: Status | null
  progress: number | null
  run: RunState | null
}

export interface AnalysisState {
  locked: boolean
  image: ImageState | null
  arguments: string | null
  hasRegistry: boolean
  build: ProcessState
  distribution: ProcessState
  buildHash: string | null
  assignments: Assignment[]
  buckets: BucketState[]
  /** What storage was asked for, and the bucket it made where that waits for others. */
  requests: Map<BucketType, number | null>
  files: FileState[]
  /** Files whose bytes were changed in the object store. */
  damaged: Set<number>
}

export const NOT_BEGUN = (): ProcessState => ({ status: null, progress: null, run: null })

const WORKING: readonly (Status | null)[] = ['starting', 'started', 'stopping', 'executing']
const BEGINNABLE: readonly (Status | null)[] = [null, 'failed', 'stopped']

export const isWorking = (status: Status | null) => WORKING.includes(status)
export const isBeginnable = (status: Status | null) => BEGINNABLE.includes(status)

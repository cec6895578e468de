/** The state of an analysis in the reference model: only what callers and workers did to it. */
export type Status =
  'starting' | 'started' | 'stopping' | 'stopped' | 'executing' | 'executed' | 'failed'
export type Decision = 'approved' | 'rejected' | null
export type NodeType = 'default' | 'aggregator'
export type BucketType = 'CODE' | 'RESULT' | 'TEMP'
export type ProcessName = 'build' | 'distribution'

export const BUCKET_TYPES: readonly BucketType[] = ['CODE', 'RESULT', 'TEMP']

export interface NodeState {
  /** Unique for each node. */
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
  /** The digest of the approved content. */
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
  /** Created by the platform, one of each type. */
  readonly isBuiltIn: boolean
}

export interface RunState {
  number: number
  isCheckPending: boolean
  /** It failed because no worker reported. */
  wasUnresponsive: boolean
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
  /** Pending requests, with the created bucket if it waits for others. */
  requests: Map<BucketType, number | null>
  files: FileState[]
  /** Files whose bytes were changed in the object store. */
  damaged: Set<number>
}

export const NOT_STARTED = (): ProcessState => ({ status: null, progress: null, run: null })

const WORKING: readonly (Status | null)[] = ['starting', 'started', 'stopping', 'executing']
const STARTABLE: readonly (Status | null)[] = [null, 'failed', 'stopped']

export const isWorking = (status: Status | null) => WORKING.includes(status)
export const isStartable = (status: Status | null) => STARTABLE.includes(status)

import type { OutputStream } from '#node/containers/container_driver'

/** Where the program of a sidecar finds the output of its container; it has the channel to its node before that. */
export const OUTPUT_DESCRIPTORS: Readonly<Record<OutputStream, number>> = { stdout: 4, stderr: 5 }

export interface SidecarSettings {
  readonly gatewaySocket: string
  readonly gatewayPort: number
  readonly inboundSocket: string
  readonly analysisPort: number
}

export interface Readiness {
  readonly type: 'ready'
  readonly pid: number
  /** The port that leads to the gateway. */
  readonly port: number
}

/** Lines of a stream in order. The next ones come when these were taken. */
export interface OutputBatch {
  readonly type: 'lines'
  readonly stream: OutputStream
  readonly lines: readonly string[]
}

/** What the program sends to its node. */
export type SidecarMessage =
  | Readiness
  | OutputBatch
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'outputEnded' }
  | { readonly type: 'refusal'; readonly sentence: string }

/** What the node answers: the lines of this stream were taken. */
export interface BatchTaken {
  readonly taken: OutputStream
}

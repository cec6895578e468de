import type { OutputStream } from '#node/containers/container_driver'

/** The descriptors with the output of the container, after that of the channel to the node. */
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

/** Lines of a stream in order. The next ones come when these were accepted. */
export interface OutputBatch {
  readonly type: 'lines'
  readonly stream: OutputStream
  readonly lines: readonly string[]
}

/** The messages of the program to its node. */
export type SidecarMessage =
  | Readiness
  | OutputBatch
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'outputEnded' }
  | { readonly type: 'refusal'; readonly sentence: string }

/** The message of the node: the lines of this stream were accepted. */
export interface BatchTaken {
  readonly taken: OutputStream
}

import type { ContainerDriver } from '#node/containers/container_driver'
import type { Hub } from '#node/hub/hub'
import type { Inbox } from '#node/messages/inbox'
import type { SealedMessages } from '#node/messages/sealed_messages'
import type { Policy } from '#node/policy/policy'
import type { KeyPair } from '#node/seal/key_pair'
import type { AnalysisImages } from './analysis_images.js'
import type { HubAnalyses } from './hub_analyses.js'

/** The dependencies that all runs of a node share. */
export interface RunServices {
  readonly hub: Hub
  readonly analyses: HubAnalyses
  readonly images: AnalysisImages
  readonly containers: ContainerDriver
  readonly keys: KeyPair
  readonly messages: SealedMessages
  readonly inbox: Inbox
  readonly policy: Policy
  /** Approves analyses for the node, if its policy allows that. */
  readonly approver: HubAnalyses | undefined
  /** The folder of the node. */
  readonly folder: string
  /** A folder for sockets with a short path: the path of a socket has at most 107 bytes. */
  readonly socketFolder: string
}

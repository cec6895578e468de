import { HubRefusal } from '#node/errors'
import { OVERFLOWED, type Inbox } from '#node/messages/inbox'
import type { ReceivedMessage } from '#node/messages/receiver'
import type { AnalysisRun } from './analysis_run.js'
import type { HubAnalyses } from './hub_analyses.js'

export interface MessageIntakeDependencies {
  readonly nodeId: string
  readonly analyses: HubAnalyses
  readonly inbox: Inbox
  /** The run of an analysis, if it is running. */
  readonly runOf: (analysisId: string) => AnalysisRun | undefined
}

/** Accepts messages for analyses that run at the node, or will; drops all others. */
export class MessageIntake {
  readonly #dependencies: MessageIntakeDependencies

  constructor(dependencies: MessageIntakeDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns when the messages of one analysis are on disk, or were dropped; throws if that cannot be decided now. */
  async take(messages: readonly ReceivedMessage[]): Promise<void> {
    const { analysisId } = messages[0]!
    const { inbox, runOf } = this.#dependencies
    const senders = await this.#sendersOf(analysisId, messages)
    const sent = messages.filter(({ senderClientId }) => senders.has(senderClientId))
    if (sent.length > 0 && !(await inbox.add(analysisId, sent))) {
      runOf(analysisId)?.fail(OVERFLOWED)
    }
  }

  /** The nodes whose messages are accepted. Otherwise a stranger could fill the disk. */
  async #sendersOf(
    analysisId: string,
    messages: readonly ReceivedMessage[]
  ): Promise<ReadonlySet<string>> {
    const known = this.#dependencies.runOf(analysisId)?.clientIds
    if (known && messages.every(({ senderClientId }) => known.has(senderClientId))) {
      return known
    }
    try {
      return known || (await this.#isExpected(analysisId))
        ? await this.#readClientIds(analysisId)
        : new Set()
    } catch (error) {
      if (error instanceof HubRefusal && HubRefusal.isFinal(error)) {
        return new Set()
      }
      throw error
    }
  }

  /** Whether the analysis may still start here. */
  async #isExpected(analysisId: string): Promise<boolean> {
    const { analyses, nodeId } = this.#dependencies
    const assignment = await analyses.assignment(nodeId, analysisId)
    return assignment?.approvalStatus === 'approved' && assignment.executionStatus === null
  }

  async #readClientIds(analysisId: string): Promise<ReadonlySet<string>> {
    const participations = await this.#dependencies.analyses.participations(analysisId)
    return new Set(participations.map(({ participant }) => participant.clientId))
  }
}

import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

import {
  participantAt,
  type AssignedAnalysis,
  type Participant,
} from '#node/analyses/assigned_analysis'
import { RecipientUnknown, SealBroken } from '#node/errors'
import type { KeyPair } from '#node/seal/key_pair'
import { openMessage, sealMessage } from '#node/seal/sealed_message'
import type { NewMessage } from './mailbox.js'
import type { ReceivedMessage } from './receiver.js'
import type { SendQueue } from './send_queue.js'

/** Encrypted messages between the nodes of an analysis. */
export class SealedMessages {
  readonly #keys: KeyPair
  readonly #queue: SendQueue

  constructor(keys: KeyPair, queue: SendQueue) {
    this.#keys = keys
    this.#queue = queue
  }

  /** Returns when the message, a JSON text, is on disk. From then on it is sent until it arrives. */
  async send(
    analysis: AssignedAnalysis,
    recipients: readonly string[],
    text: string
  ): Promise<void> {
    const found = [...new Set(recipients)].map((nodeId) => recipientAt(analysis, nodeId))
    const messages: NewMessage[] = []
    for (const { clientId, publicKey } of found) {
      // Sealing takes some milliseconds per MiB.
      await setImmediate()
      const context = { messageId: randomUUID(), analysisId: analysis.id }
      const keys = { privateKey: this.#keys.privateKey, publicKey }
      const sealed = sealMessage(text, keys, context)
      messages.push({ recipientClientId: clientId, ...context, sealed })
    }
    await this.#queue.add(messages)
  }

  /** Decrypts a message that a node of the analysis sealed for this node. */
  open(
    analysis: AssignedAnalysis,
    { sealed, senderClientId, ...context }: ReceivedMessage
  ): string {
    const sender = analysis.participants.find(({ clientId }) => clientId === senderClientId)
    if (!sender?.publicKey) {
      throw new SealBroken('The sender is not a node of the analysis, or has not published its key')
    }
    const { privateKey } = this.#keys
    return openMessage(sealed, { privateKey, publicKey: sender.publicKey }, context)
  }
}

function recipientAt(analysis: AssignedAnalysis, nodeId: string): WithKey {
  const participant = participantAt(analysis, nodeId)
  if (!participant) {
    throw new RecipientUnknown(`The node ${nodeId} is not assigned to the analysis`)
  }
  if (!hasKey(participant)) {
    throw new RecipientUnknown(`The node ${nodeId} has not published its key`)
  }
  return participant
}

type WithKey = Participant & { readonly publicKey: NonNullable<Participant['publicKey']> }

const hasKey = (participant: Participant): participant is WithKey =>
  participant.publicKey !== undefined

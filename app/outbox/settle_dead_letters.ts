import type { DeadLetterEvent } from '#audit/security_event'
import type { SecurityAudit } from '#audit/security_audit'
import type { DeadLetters, DeadLetterSelector } from '#bus/dead_letters'
import type { Origin, RequestSource } from '#kernel/origin'

interface SettlementDependencies {
  readonly letters: Pick<DeadLetters, 'redrive' | 'drop'>
  readonly audit: Pick<SecurityAudit, 'deadLetters'>
}

interface Settlement {
  readonly action: 'redrive' | 'drop'
  readonly queue: string
  readonly chosen: DeadLetterSelector
  /** The message of a single letter, if it is known. */
  readonly messageId?: string | null
}

const EVENTS = {
  redrive: 'deadLetterRedriven',
  drop: 'deadLetterDropped',
} as const satisfies Record<Settlement['action'], DeadLetterEvent>

/**
 * Requeues or deletes dead letters; returns their number. The audit trail has it first, so that nothing is done without
 * a trace, and also has it if nothing was done after all.
 */
export async function settleDeadLetters(
  { letters, audit }: SettlementDependencies,
  origin: RequestSource & Partial<Origin>,
  { action, queue, chosen, messageId }: Settlement
): Promise<number> {
  const letter = chosen === 'all' ? chosen : chosen.id
  const facts = { queue, letter, ...(messageId && { message: messageId }) }
  await audit.deadLetters(origin, EVENTS[action], facts)
  let settled = 0
  try {
    settled = await letters[action](queue, chosen)
    return settled
  } finally {
    if (settled === 0) {
      await audit.deadLetters(origin, 'deadLetterUntouched', facts)
    }
  }
}

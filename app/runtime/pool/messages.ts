import type { MetricObjectWithValues, MetricValue } from 'prom-client'

import type { FailedCheck } from '#observability/health'

/** What the primary of a pool may ask a member, with the answer each question has. */
export interface Answers {
  /** What keeps the member from working. */
  failing: readonly FailedCheck[]
  /** What it does without. */
  degraded: readonly FailedCheck[]
  metrics: readonly MetricObjectWithValues<MetricValue<string>>[]
}

export type Question = keyof Answers

/** What a primary sends. */
export type ToMember =
  /** Comes with its socket beside it. The socket itself no longer knows its address once the other side has reset it. */
  { type: 'connection'; address: string } | { type: 'question'; id: number; question: Question }

/** What a member sends. */
export type ToPrimary =
  | { type: 'ready' }
  | { type: 'failed'; reason: string }
  /** A connection that was offered is the member's now, unless it had ended by then. */
  | { type: 'took'; connections: number; isOpen: boolean }
  /** `closed` has the addresses of the connections that ended since. */
  | { type: 'has'; connections: number; closed: string[] }
  | { type: 'answer'; id: number; answer: Answers[Question] }
  | { type: 'unanswered'; id: number; reason: string }

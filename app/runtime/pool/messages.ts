import type { MetricObjectWithValues, MetricValue } from 'prom-client'

import type { FailedCheck } from '#observability/health'

/** The questions of the primary and the types of their answers. */
export interface Answers {
  /** Failing required checks. */
  failing: readonly FailedCheck[]
  /** Failing optional checks. */
  degraded: readonly FailedCheck[]
  metrics: readonly MetricObjectWithValues<MetricValue<string>>[]
}

export type Question = keyof Answers

/** Messages of the primary. */
export type ToMember =
  /** Sent with its socket. The address is included, since a socket that was reset does not know it. */
  | { type: 'connection'; address: string }
  | { type: 'question'; id: number; question: Question }
  /** The pool is about to stop. */
  | { type: 'stopAnnounced' }

/** Messages of a member. */
export type ToPrimary =
  | { type: 'ready' }
  | { type: 'failed'; reason: string }
  /** Acknowledges an offered connection, which may have closed meanwhile. */
  | { type: 'took'; connections: number; isOpen: boolean }
  /** `closed` lists the addresses of connections that closed since the last report. */
  | { type: 'has'; connections: number; closed: string[] }
  | { type: 'answer'; id: number; answer: Answers[Question] }
  | { type: 'unanswered'; id: number; reason: string }

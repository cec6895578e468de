import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'
import type { HttpContext } from '@adonisjs/core/http'

import type { PermissionDenied } from '#kernel/failures'
import { RefusalAggregator } from './refusal_aggregator.js'
import type { Origin, RequestSource } from '#kernel/origin'
import {
  SecuritySink,
  type DeadLetterEvent,
  type SecurityEvent,
  type SignInEvent,
} from './security_event.js'
import { isUuid } from '#kernel/is_uuid'
import { originOf } from '#kernel/request_origin'

/** How much of a filter is recorded. */
const MAX_FILTER_LENGTH = 1_024

/** The account of a login. */
export interface AuditedAccount {
  readonly kind: 'user' | 'client'
  /** Null if no account has the submitted name. The name is not stored: it may be a password. */
  readonly id: string | null
  readonly realmId: string | null
}

/** The record whose secret is read. */
export interface SecretOwner {
  readonly kind: string
  readonly id: string
  readonly realmId: string | null
}

/** Records security events that change no record. */
@inject()
export class SecurityAudit {
  readonly #sink: SecuritySink
  readonly #logger: Logger
  readonly #aggregator: RefusalAggregator

  constructor(sink: SecuritySink, logger: Logger) {
    this.#sink = sink
    this.#logger = logger
    this.#aggregator = new RefusalAggregator((event) => sink.record(event))
  }

  /**
   * Records that a caller was denied, aggregated with equal refusals within a minute. The response does not wait for
   * it.
   */
  addRefusal(ctx: HttpContext, refusal: PermissionDenied): void {
    if (!ctx.actor) {
      return
    }
    const event: SecurityEvent = {
      type: 'permissionRefused',
      subject: ctx.route?.name ?? 'none',
      id: isUuid(ctx.params?.id) ? ctx.params.id : null,
      realmId: ctx.actor.realmId,
      origin: originOf(ctx),
      permissions: missingIn(refusal),
    }
    const { kind, id } = ctx.actor
    const reason = event.permissions.join() || refusal.message
    this.#aggregator.add(event, [kind, id, reason], (error) =>
      ctx.logger.error({ err: error }, 'a refusal could not be written to the audit trail')
    )
  }

  /**
   * Records that a client failed to log in, aggregated with its other failures from the same network within a minute,
   * and those of all unknown clients: anybody can send as many as there are names.
   */
  addFailedClient(
    { kind, id, realmId }: AuditedAccount,
    origin: RequestSource,
    network: string
  ): void {
    const type = 'signInFailed'
    const event: SecurityEvent = { type, subject: kind, id, realmId, origin, permissions: [] }
    this.#aggregator.add(event, [id, network], (error) => this.#logLost(type, error))
  }

  /** Records pending refusals. Called on shutdown, so that none is lost. */
  flush(): Promise<void> {
    return this.#aggregator.flush()
  }

  /** Records that a secret is about to be shown. Await it first: a secret must not be shown unless that is recorded. */
  secretRead(origin: Origin, { kind, id, realmId }: SecretOwner): Promise<void> {
    return this.#sink.record({
      type: 'secretRead',
      subject: kind,
      id,
      realmId,
      origin,
      permissions: [],
    })
  }

  /** Records that code of another realm is about to be sent to someone who decides about it. Await it first. */
  codeRead(origin: Origin, { kind, id, realmId }: SecretOwner): Promise<void> {
    const read = { type: 'codeRead', subject: kind, id, realmId, origin, permissions: [] } as const
    return this.#sink.record(read)
  }

  /** Records that the audit trail was verified, and with which result. Its subject are the events themselves. */
  trailVerified(origin: Origin, { isIntact }: { isIntact: boolean }): Promise<void> {
    return this.#sink.record({
      type: isIntact ? 'trailIntact' : 'trailChanged',
      subject: 'event',
      id: null,
      realmId: origin.actor.realmId,
      origin,
      permissions: [],
    })
  }

  /** Records that the log lines that match a filter are about to be deleted. Await it first. */
  logsDeleted(origin: Origin, subject: string, filter: string): Promise<void> {
    return this.#sink.record({
      type: 'logsDeleted',
      subject,
      id: null,
      realmId: origin.actor.realmId,
      origin,
      permissions: [],
      facts: { filter: filter.slice(0, MAX_FILTER_LENGTH) },
    })
  }

  /** Records what is about to happen with dead letters. Await it first. A command of the machine has no actor. */
  deadLetters(
    origin: RequestSource & Partial<Origin>,
    type: DeadLetterEvent,
    facts: Readonly<Record<string, string>>
  ): Promise<void> {
    return this.#sink.record({
      type,
      subject: 'deadLetter',
      id: null,
      realmId: origin.actor?.realmId ?? null,
      origin,
      permissions: [],
      facts,
    })
  }

  /**
   * Records an event of a login. Failures are only logged, but callers await it, so that attempts are never faster than
   * their records.
   */
  async signIn(
    type: SignInEvent,
    { kind, id, realmId }: AuditedAccount,
    origin: RequestSource
  ): Promise<void> {
    try {
      await this.#sink.record({ type, subject: kind, id, realmId, origin, permissions: [] })
    } catch (error) {
      this.#logLost(type, error)
    }
  }

  #logLost(type: SignInEvent, error: unknown): void {
    this.#logger.error({ err: error, type }, 'a security event of a login could not be recorded')
  }
}

function missingIn({ issues }: PermissionDenied): string[] {
  return issues.flatMap((issue) => (issue.code === 'permission_not_found' ? [...issue.path] : []))
}

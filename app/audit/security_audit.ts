import type { Logger } from '@adonisjs/core/logger'
import type { HttpContext } from '@adonisjs/core/http'

import type { PermissionDenied } from '#kernel/failures'
import { RefusalAggregator } from './refusal_aggregator.js'
import type { Origin, RequestSource } from '#kernel/origin'
import type { SecurityEvent, SecuritySink, SignInEvent } from './security_event.js'
import { isUuid } from '#kernel/is_uuid'
import { originOf } from '#kernel/request_origin'

/** Whose login something is about. */
export interface AuditedAccount {
  readonly kind: 'user' | 'client'
  /** Null where no user has the name that was sent, which is not kept: it may be a password. */
  readonly id: string | null
  readonly realmId: string | null
}

/** Whose secret is read. */
export interface SecretOwner {
  readonly kind: string
  readonly id: string
  readonly realmId: string | null
}

/**
 * Notes what matters to security although no record changed.
 */
export class SecurityAudit {
  readonly #sink: SecuritySink
  readonly #logger: Pick<Logger, 'error'>
  readonly #aggregator: RefusalAggregator

  constructor(sink: SecuritySink, logger: Pick<Logger, 'error'>) {
    this.#sink = sink
    this.#logger = logger
    this.#aggregator = new RefusalAggregator((event) => sink.record(event))
  }

  /**
   * Notes that a caller was refused, together with what the same caller is refused for the same reason within a minute. The
   * answer does not depend on it.
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
    this.#aggregator.add(event, event.permissions.join() || refusal.message, (error) =>
      ctx.logger.error({ err: error }, 'a refusal could not be written to the audit trail')
    )
  }

  /** Notes the refusals that wait for more of their kind; called before a process ends, so that none is lost. */
  flush(): Promise<void> {
    return this.#aggregator.flush()
  }

  /**
   * Notes that a secret is about to be shown. Called, and waited for, before that: a secret whose showing cannot be noted is not
   * shown.
   */
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

  /**
   * Notes what happened around a login. It has happened by then and nothing depends on the note, but it is waited for: an
   * attacker is not faster than what an attempt leaves behind.
   */
  async signIn(
    type: SignInEvent,
    { kind, id, realmId }: AuditedAccount,
    origin: RequestSource
  ): Promise<void> {
    try {
      await this.#sink.record({ type, subject: kind, id, realmId, origin, permissions: [] })
    } catch (error) {
      this.#logger.error({ err: error, type }, 'a security event of a login could not be recorded')
    }
  }
}

function missingIn({ issues }: PermissionDenied): string[] {
  return issues.flatMap((issue) => (issue.code === 'permission_not_found' ? [...issue.path] : []))
}

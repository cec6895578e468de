import type { HttpContext } from '@adonisjs/core/http'

import type { PermissionDenied } from '#kernel/failures'
import { Refusals } from './refusals.js'
import type { Origin, Source } from '#kernel/origin'
import type { SecurityEvent, SecuritySink, SignInEvent } from './security_event.js'
import { isUuid } from '#kernel/is_uuid'
import { originOf } from '#kernel/request_origin'

/** Until something listens, security events are dropped. */
const nobody: SecuritySink = { note: async () => {} }

let current = nobody

/**
 * Sends security events to a sink until the returned function is called.
 */
export function useSecuritySink(sink: SecuritySink): () => void {
  const previous = current
  current = sink
  return () => {
    current = previous
  }
}

/**
 * Notes that a caller was refused, together with what the same caller is refused for the same reason within a minute. The
 * answer does not depend on it.
 */
export function noteRefusal(ctx: HttpContext, refusal: PermissionDenied): void {
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
  refusals.add(event, event.permissions.join() || refusal.message, (error) =>
    ctx.logger.error({ err: error }, 'a refusal could not be written to the audit trail')
  )
}

/** Notes the refusals that wait for more of their kind; called before a process ends, so that none is lost. */
export function noteGatheredRefusals(): Promise<void> {
  return refusals.settle()
}

const refusals = new Refusals((event) => current.note(event))

/**
 * Notes that a secret is about to be shown. Called, and waited for, before that: a secret whose showing cannot be noted is not shown.
 */
export function noteSecretRead(
  origin: Origin,
  record: { kind: string; id: string; realmId: string | null }
): Promise<void> {
  const { kind, id, realmId } = record
  return current.note({ type: 'secretRead', subject: kind, id, realmId, origin, permissions: [] })
}

/** Whose login something is about. */
export interface NotedAccount {
  readonly kind: 'user' | 'client'
  /** Null where no user has the name that was sent, which is not kept: it may be a password. */
  readonly id: string | null
  readonly realmId: string | null
}

/**
 * Notes what happened around a login. It has happened by then and nothing depends on the note, but it is waited for: whoever
 * guesses is not faster than what it leaves behind.
 */
export async function noteSignIn(
  type: SignInEvent,
  { kind, id, realmId }: NotedAccount,
  origin: Source
): Promise<void> {
  try {
    await current.note({ type, subject: kind, id, realmId, origin, permissions: [] })
  } catch (error) {
    const { default: logger } = await import('@adonisjs/core/services/logger')
    logger.error({ err: error, type }, 'a security event of a login could not be recorded')
  }
}

function missingIn({ issues }: PermissionDenied): string[] {
  return issues.flatMap((issue) => (issue.code === 'permission_not_found' ? [...issue.path] : []))
}

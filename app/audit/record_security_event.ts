import type { Origin, RequestSource } from '#kernel/origin'

import type { SignInEvent } from './security_event.js'
import { SecurityAudit, type AuditedAccount, type SecretOwner } from './security_audit.js'

/** `SecurityNotes.secretRead`, for code that the container does not make. */
export async function recordSecretRead(origin: Origin, owner: SecretOwner): Promise<void> {
  const audit = await securityAudit()
  await audit.secretRead(origin, owner)
}

/** `SecurityNotes.signIn`, for code that the container does not make. */
export async function recordSignIn(
  type: SignInEvent,
  account: AuditedAccount,
  origin: RequestSource
): Promise<void> {
  const audit = await securityAudit()
  await audit.signIn(type, account, origin)
}

async function securityAudit(): Promise<SecurityAudit> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make(SecurityAudit)
}

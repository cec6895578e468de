import type { Origin, RequestSource } from '#kernel/origin'

import type { SignInEvent } from './security_event.js'
import { SecurityAudit, type AuditedAccount, type SecretOwner } from './security_audit.js'

/** `SecurityAudit.secretRead`, for code outside the container. */
export async function recordSecretRead(origin: Origin, owner: SecretOwner): Promise<void> {
  const audit = await securityAudit()
  await audit.secretRead(origin, owner)
}

/** `SecurityAudit.codeRead`, for code outside the container. */
export async function recordCodeRead(origin: Origin, code: SecretOwner): Promise<void> {
  const audit = await securityAudit()
  await audit.codeRead(origin, code)
}

/** `SecurityAudit.signIn`, for code outside the container. */
export async function recordSignIn(
  type: SignInEvent,
  account: AuditedAccount,
  origin: RequestSource
): Promise<void> {
  const audit = await securityAudit()
  await audit.signIn(type, account, origin)
}

/** `SecurityAudit.addFailedClient`, for code outside the container. */
export async function addFailedClient(
  account: AuditedAccount,
  origin: RequestSource,
  network: string
): Promise<void> {
  const audit = await securityAudit()
  audit.addFailedClient(account, origin, network)
}

async function securityAudit(): Promise<SecurityAudit> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make(SecurityAudit)
}

import type { Origin, Source } from '#kernel/origin'

import type { SignInEvent } from './security_event.js'
import { SecurityNotes, type NotedAccount, type SecretOwner } from './security_notes.js'

/** `SecurityNotes.secretRead`, for code that the container does not make. */
export async function noteSecretRead(origin: Origin, owner: SecretOwner): Promise<void> {
  const notes = await securityNotes()
  await notes.secretRead(origin, owner)
}

/** `SecurityNotes.signIn`, for code that the container does not make. */
export async function noteSignIn(
  type: SignInEvent,
  account: NotedAccount,
  origin: Source
): Promise<void> {
  const notes = await securityNotes()
  await notes.signIn(type, account, origin)
}

async function securityNotes(): Promise<SecurityNotes> {
  const { default: app } = await import('@adonisjs/core/services/app')
  return app.container.make(SecurityNotes)
}

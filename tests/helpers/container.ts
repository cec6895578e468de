import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'

import { SecuritySink } from '#audit/security_event'
import { SecurityAudit } from '#audit/security_audit'
import { recordAll } from '#records/event_sink'
import { EventSink } from '#records/events'

/** What the sinks of the application are in a test, which services were made with long before it. */
interface Sinks {
  changes: EventSink
  security: SecuritySink
}

let sinks: Sinks

/** Puts sinks into the container that a test can look into; to be called before services are made. */
export async function openSinks({ container }: ApplicationService): Promise<void> {
  sinks = {
    changes: await container.make(EventSink),
    security: await container.make(SecuritySink),
  }
  container.bindValue(EventSink, {
    record: (transaction, change) => sinks.changes.record(transaction, change),
    recordAll: (transaction, changes) => recordAll(sinks.changes, transaction, changes),
  })
  container.bindValue(SecuritySink, { record: (event) => sinks.security.record(event) })
}

/** Sends the changes of the application to another sink until the returned function is called. */
export function useEventSink(changes: EventSink): () => void {
  return use({ changes })
}

/** Sends the security events of the application to another sink until the returned function is called. */
export function useSecuritySink(security: SecuritySink): () => void {
  return use({ security })
}

/** Has those refusals noted that wait for more of their kind. */
export async function noteGatheredRefusals(): Promise<void> {
  const notes = await app.container.make(SecurityAudit)
  await notes.flush()
}

function use(others: Partial<Sinks>): () => void {
  const previous = sinks
  sinks = { ...sinks, ...others }
  return () => {
    sinks = previous
  }
}

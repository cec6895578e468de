import { inject } from '@adonisjs/core'
import { LRUCache } from 'lru-cache'

import type { Actor } from '#kernel/actor'
import { PermissionDenied, ServiceUnavailable } from '#kernel/failures'
import { isMasterMember, isRealmWritable } from '#kernel/realm'
import { RecordRealms } from '#telemetry/events/record_realms'
import { reporterOf, type Reporter } from '#telemetry/events/reporter'
import type { LineLabels, LineOwner, LogRecord } from './log_line.js'
import { recordsIn, subjectOf, type NamedRecord } from './named_records.js'
import { Participants } from './participants.js'

/** How long the realms of a record count for lines of the platform, which come in bursts about one record. */
const CACHE = { max: 1_000, ttl: 10_000 }

type Report = Pick<LogRecord, 'service'> & { readonly labels?: LineLabels | null | undefined }

/** Determines who reported a line and whose it is. */
@inject()
export class LineOwners {
  readonly #records: RecordRealms
  readonly #participants: Participants
  readonly #known = new LRUCache<string, readonly string[]>(CACHE)

  constructor(records: RecordRealms, participants: Participants) {
    this.#records = records
    this.#participants = participants
  }

  /**
   * The owner of a line that an actor reports. Outside of the master realm, actors report neither on records of other
   * realms nor in the name of the platform, and a line that is about no record belongs to their realm.
   */
  async ofReport(actor: Actor, { service, labels }: Report): Promise<LineOwner> {
    const reportedBy = reporterOf(actor)
    if (isMasterMember(actor)) {
      return this.ofPlatform(labels ?? {}, reportedBy)
    }
    requireOwnService(service)
    await this.#requireOwnRecords(actor, labels ?? {})
    const realms = await this.#realmsOf(subjectOf(labels ?? {}))
    const own = actor.realmId === null ? [] : [actor.realmId.toLowerCase()]
    return { reportedBy, realms: realms.length > 0 ? realms : own }
  }

  /** The owner of a line that the platform writes. It belongs to no realm while its record cannot be looked up. */
  async ofPlatform(labels: LineLabels, reportedBy: Reporter): Promise<LineOwner> {
    const subject = subjectOf(labels)
    const key = subject && `${subject.kind} ${subject.id}`
    const known = key === undefined ? [] : this.#known.get(key)
    if (known) {
      return { reportedBy, realms: known }
    }
    try {
      const realms = await this.#realmsOf(subject)
      this.#known.set(key!, realms)
      return { reportedBy, realms }
    } catch (error) {
      if (!(error instanceof ServiceUnavailable)) {
        throw error
      }
      return { reportedBy, realms: [] }
    }
  }

  async #requireOwnRecords(actor: Actor, labels: LineLabels): Promise<void> {
    const records = recordsIn(labels)
    const ofNodes = await Promise.all(
      records.filter(({ kind }) => kind === 'node').map((node) => this.#isOwn(actor, node))
    )
    const isAtOwnNode = ofNodes.length > 0 && ofNodes.every((isOwn) => isOwn === true)
    for (const record of records) {
      const isOwn =
        record.kind === 'analysis' && isAtOwnNode
          ? await this.#takesPart(actor, record)
          : await this.#isOwn(actor, record)
      if (isOwn === false) {
        throw new PermissionDenied(
          `The ${record.kind} ${record.id} belongs to another realm: only the master realm may report on it`
        )
      }
    }
  }

  /** Whether a record belongs to the realm of the actor; undefined if it does not exist. */
  async #isOwn(actor: Actor, { kind, id }: NamedRecord): Promise<boolean | undefined> {
    const realms = await this.#records.find(kind, id)
    return realms?.some((realmId) => isRealmWritable(actor, realmId))
  }

  async #takesPart(actor: Actor, { id }: NamedRecord): Promise<boolean | undefined> {
    const realms = await this.#participants.find(id)
    return realms?.some((realmId) => isRealmWritable(actor, realmId))
  }

  async #realmsOf(subject: NamedRecord | undefined): Promise<readonly string[]> {
    if (subject === undefined) {
      return []
    }
    const { kind, id } = subject
    const realms = await (kind === 'analysis'
      ? this.#participants.find(id)
      : this.#records.find(kind, id))
    return (realms ?? []).flatMap((realmId) => (realmId === null ? [] : [realmId.toLowerCase()]))
  }
}

/** Throws for a name of the platform's own services, however it is spelled. */
function requireOwnService(service: string): void {
  const letters = service
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
  if (letters.startsWith('hubserver')) {
    throw new PermissionDenied(
      'Only the platform writes lines of the services hub-server-…: name your own service'
    )
  }
}

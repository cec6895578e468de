import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { BadRequest, PermissionDenied } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import type { Origin } from '#kernel/origin'
import { isMasterMember } from '#kernel/realm'
import { decode, type DecodedQuery, type Selection } from '#query/decode'
import type { ListRow, ReadOptions } from '#query/sql/list_statement'
import { RecordService } from '#records/record_service'
import { concurrently } from '#records/transaction'
import { event, type Event, type EventBody, type EventRow } from './event.js'
import { cursorAt, type EventSearch } from './event_search.js'
import { findEvents } from './find_events.js'
import { removeEvent } from '#telemetry/trail/remove_events'
import type { RecordStream, StreamOptions } from '#auth/record_stream'
import { visibleChains } from '#telemetry/trail/visible_chains'
import { GroupCommit } from '#records/group_commit'
import { toSealedEvent, toEventRow } from './sealed_event.js'
import { appendEvents } from './event_table.js'
import { EventTail } from '#telemetry/events/live/event_tail'
import { TelemetryRecords } from '#telemetry/telemetry_records'
import { Position } from '#telemetry/events/live/position'
import { RecordRealms } from './record_realms.js'
import { isRemoval, removalEvent } from './removal_event.js'
import { reportedEvent } from './reported_event.js'
import type { NewEvent } from './stored_event.js'

/** An event that a caller reports. */
interface EventReport {
  readonly origin: Origin
  readonly reported: NewEvent
}

interface EventPage {
  readonly data: readonly string[]
  readonly meta: { readonly limit: number; readonly next: string | null }
}

/**
 * Events as callers see and write them: the master realm sees all, others see those of their realm and those without a
 * realm.
 */
@inject()
export class EventService extends RecordService<typeof Event> {
  readonly #tail: EventTail
  readonly #recordRealms: RecordRealms
  readonly #reports: GroupCommit<EventReport, string>

  constructor(records: TelemetryRecords, tail: EventTail, recordRealms: RecordRealms) {
    super(event, records)
    this.#tail = tail
    this.#recordRealms = recordRealms
    this.#reports = new GroupCommit(this.pool, (transaction, reports) =>
      this.#store(transaction, reports)
    )
  }

  override async list({ actor }: Origin, query: DecodedQuery): Promise<ListRow> {
    enforce(this.kind.access.read, actor)
    return this.store.list(query, visibleTo(actor))
  }

  override async read({ actor }: Origin, id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, actor)
    return (await this.store.read(id, selection, visibleTo(actor))) ?? this.missing()
  }

  /** A page of the events that match, as JSON texts, the newest first. */
  async search({ actor }: Origin, search: EventSearch): Promise<EventPage> {
    enforce(this.kind.access.read, actor)
    const { limit } = search
    const visible = visibleTo(actor)
    const more = { ...search, limit: limit + 1 }
    const found = await findEvents(this.pool, more, visible.visibleRealms?.realms)
    const places = found.slice(0, limit)
    const ids = places.map(({ id }) => id)
    const texts = await this.store.among(ids, decode(event.declaration, ''), visible)
    const next = found.length > limit ? cursorAt(places.at(-1)!) : null
    return { data: ids.flatMap((id) => texts.get(id) ?? []), meta: { limit, next } }
  }

  /** Streams matching events that are stored from now on, or after a given one. */
  async tail(
    { actor }: Origin,
    query: DecodedQuery,
    { signal, after }: StreamOptions
  ): Promise<RecordStream> {
    enforce(this.kind.access.read, actor)
    return this.#tail.open({
      chains: visibleChains(actor),
      from: after === undefined ? undefined : parsePosition(after),
      signal,
      read: (ids) => this.store.among(ids, query, visibleTo(actor)),
    })
  }

  override async create(origin: Origin, body: EventBody): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    const reported = await reportedEvent(origin.actor, body, this.#recordRealms)
    return this.#reports.add({ origin, reported })
  }

  /** Events that record a removal cannot be removed. */
  protected override async lockWritable(
    origin: Origin,
    transaction: pg.ClientBase,
    id: string
  ): Promise<EventRow> {
    const row = await super.lockWritable(origin, transaction, id)
    if (isRemoval(row)) {
      throw new PermissionDenied('This event records a removal and cannot be deleted')
    }
    return row
  }

  /** Every removal is recorded by an event. */
  protected override async removeRow(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: EventRow
  ) {
    const removed = await super.removeRow(transaction, origin, previous)
    await appendEvents(transaction, [removalEvent(previous, origin)])
    return removed
  }

  protected override async deleteRow(transaction: pg.ClientBase, id: string) {
    const written = await this.store.current(transaction, id)
    await removeEvent(transaction, id)
    return written
  }

  /** Returns the events as later reads return them. */
  async #store(transaction: pg.ClientBase, reports: readonly EventReport[]): Promise<string[]> {
    const events = reports.map(({ reported }) => reported)
    const created = reports.map(({ origin, reported }) => ({
      origin,
      values: toEventRow(reported),
    }))
    await concurrently(
      appendEvents(transaction, events),
      this.recordCreations(transaction, created)
    )
    return events.map((each) => JSON.stringify(toSealedEvent(each)))
  }
}

function parsePosition(text: string): Position {
  const position = Position.parse(text)
  if (!position) {
    throw new BadRequest('Last-Event-ID is not the id of an event of this stream')
  }
  return position
}

function visibleTo(actor: Actor): ReadOptions {
  if (isMasterMember(actor)) {
    return {}
  }
  const own = actor.realmId !== null && isUuid(actor.realmId) ? [actor.realmId] : []
  return { visibleRealms: { property: 'realmId', realms: [...own, null] } }
}

import { inject } from '@adonisjs/core'

import { SecurityAudit } from '#audit/security_audit'
import { enforce, requires, requiresAny } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { Origin } from '#kernel/origin'
import type { Group } from '#query/condition'
import { labelMissing, type LogQuery } from '#query/log_query'
import { normalizedLine } from './normalized_line.js'
import type { LogBody } from './log_body.js'
import type { LogFilter } from './log_filter.js'
import { LineOwners } from './line_owners.js'
import { recordText } from './log_line.js'
import { LogStore, type LogList } from './log_store.js'
import type { StreamOptions, StreamedRecord } from '#auth/record_stream'
import { DeletionUnsupported } from './errors.js'
import { hasLabel, parseFilter } from './parse_filter.js'
import { visibleTo } from './visible_lines.js'

export const LOG_ACCESS = {
  create: requires('log_create'),
  read: requiresAny('log_read', 'log_delete'),
  remove: requires('log_delete'),
}

/**
 * Log lines as callers see and write them: the master realm sees all, others see those about records of their realm and
 * analyses in which it takes part.
 */
@inject()
export class LogService {
  readonly #store: LogStore
  readonly #owners: LineOwners
  readonly #audit: SecurityAudit

  constructor(store: LogStore, owners: LineOwners, audit: SecurityAudit) {
    this.#store = store
    this.#owners = owners
    this.#audit = audit
  }

  /** Returns the line as JSON. */
  async create(actor: Actor, body: LogBody): Promise<string> {
    enforce(LOG_ACCESS.create, actor)
    const owner = await this.#owners.ofReport(actor, body)
    const line = normalizedLine({ ...body, owner })
    await this.#store.write([line])
    return recordText(line)
  }

  async list(actor: Actor, { filters, pagination, oldestFirst }: LogQuery): Promise<LogList> {
    enforce(LOG_ACCESS.read, actor)
    return this.#store.list(visibleTo(actor, filterOf(filters)), { ...pagination, oldestFirst })
  }

  tail(
    actor: Actor,
    { filters }: LogQuery,
    { signal, after }: StreamOptions
  ): AsyncIterable<StreamedRecord> {
    enforce(LOG_ACCESS.read, actor)
    return this.#store.tail(visibleTo(actor, filterOf(filters)), signal, after)
  }

  /** Removes exactly what `list` finds. The audit trail records it first, with the text of the filter. */
  async remove(origin: Origin, { filters }: LogQuery, filterText: string): Promise<void> {
    enforce(LOG_ACCESS.remove, origin.actor)
    const filter = visibleTo(origin.actor, filterOf(filters))
    await this.#requireDeletion()
    await this.#audit.logsDeleted(origin, 'log', filterText)
    await this.#store.remove(filter)
  }

  async #requireDeletion(): Promise<void> {
    const problem = await this.#store.findDeletionProblem()
    if (problem !== undefined) {
      throw new DeletionUnsupported(problem)
    }
  }
}

const parsedFilters = new WeakMap<Group, LogFilter>()

/** Requires a label: a time alone would match lines of everything. */
function filterOf(condition: Group): LogFilter {
  let filter = parsedFilters.get(condition)
  if (!filter) {
    filter = parseFilter(condition)
    if (!hasLabel(filter)) {
      throw labelMissing()
    }
    parsedFilters.set(condition, filter)
  }
  return filter
}

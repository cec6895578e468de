import { inject } from '@adonisjs/core'

import { enforce, requires, requiresAny } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { Group } from '#query/condition'
import { labelMissing, type LogQuery } from '#query/log_query'
import { normalizedLine } from './normalized_line.js'
import type { LogBody } from './log_body.js'
import type { LogFilter } from './log_filter.js'
import { recordOf, type LogRecord } from './log_line.js'
import { LogStore, type LogList } from './log_store.js'
import type { StreamOptions, StreamedRecord } from '#auth/record_stream'
import { hasLabel, parseFilter } from './parse_filter.js'

export const LOG_ACCESS = {
  create: requires('log_create'),
  read: requiresAny('log_read', 'log_delete'),
  remove: requires('log_delete'),
}

/** Log lines of all services. They have no realm: the permission covers all lines. */
@inject()
export class LogService {
  readonly #store: LogStore

  constructor(store: LogStore) {
    this.#store = store
  }

  async create(actor: Actor, body: LogBody): Promise<LogRecord> {
    enforce(LOG_ACCESS.create, actor)
    const line = normalizedLine(body)
    await this.#store.write([line])
    return recordOf(line)
  }

  async list(actor: Actor, { filters, pagination, oldestFirst }: LogQuery): Promise<LogList> {
    enforce(LOG_ACCESS.read, actor)
    return this.#store.list(filterOf(filters), { ...pagination, oldestFirst })
  }

  tail(
    actor: Actor,
    { filters }: LogQuery,
    { signal, after }: StreamOptions
  ): AsyncIterable<StreamedRecord> {
    enforce(LOG_ACCESS.read, actor)
    return this.#store.tail(filterOf(filters), signal, after)
  }

  /** Removes exactly what `list` finds. */
  async remove(actor: Actor, { filters }: LogQuery): Promise<void> {
    enforce(LOG_ACCESS.remove, actor)
    await this.#store.remove(filterOf(filters))
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

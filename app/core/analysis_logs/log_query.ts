import type { HttpContext } from '@adonisjs/core/http'

import type { LogLabels, LogPage } from './analysis_log_store.js'
import { LINES_PER_PAGE, type LogSubject } from './log_subject.js'
import { reportDroppedQuery } from '#http/dropped_keys'
import { decodeLabelDeletion, decodeLabelQuery } from '#query/log_query'

/** Which lines to read. */
export interface LogQuery {
  readonly analysisId: string
  /** All of these labels have to match. */
  readonly labels: LogLabels
  readonly page: LogPage
}

const FIRST_PAGE: LogPage = { limit: LINES_PER_PAGE, offset: 0, oldestFirst: false }

/** Parses a request to delete lines. */
export function readLogDeletion(
  { request }: HttpContext,
  { vocabulary, requiredLabels, toStoredLabels }: LogSubject
): LogQuery {
  const { labels } = decodeLabelDeletion(vocabulary, request.parsedUrl.query ?? '', requiredLabels)
  return { analysisId: labels.analysisId!, labels: toStoredLabels(labels), page: FIRST_PAGE }
}

/** Parses a request to list lines. */
export function readLogQuery(
  ctx: HttpContext,
  { vocabulary, requiredLabels, toStoredLabels }: LogSubject
): LogQuery {
  const raw = ctx.request.parsedUrl.query ?? ''
  const { labels, pagination, sorts, dropped } = decodeLabelQuery(vocabulary, raw, requiredLabels)
  reportDroppedQuery(ctx, dropped)
  const oldestFirst = sorts.some(({ name, direction }) => name === 'time' && direction === 'ASC')
  return {
    analysisId: labels.analysisId!,
    labels: toStoredLabels(labels),
    page: { ...FIRST_PAGE, ...pagination, oldestFirst },
  }
}

import { addressWith } from '#console/page_offset'
import type { Listing } from '#console/hub_client'
import type { Page, View } from '#console/page'
import { readAnalysis } from './analysis_page.js'
import { logPath, logSourceOf, type LogLine } from './log_source.js'
import type { AssignmentRow } from './records.js'

const LINES = 50

/** The newest lines of a log. The script of the page appends those that follow. */
export async function showLog(page: Page): Promise<View> {
  const id = page.uuid('id')
  const source = logSourceOf(page.query)
  const [analysis, lines, assignments] = await Promise.all([
    readAnalysis(page, id),
    page.hub.optional(page.hub.read<Listing<LogLine>>('core', logPath(id, source, LINES))),
    page.hub.optional(
      page.hub.list<AssignmentRow>('core', '/analysis-nodes', {
        'filter[analysisId]': id,
        'include': 'node',
        'sort': 'createdAt',
        'page[limit]': LINES,
      })
    ),
  ])
  const of = source.nodeId ?? ''
  return page.view('analyses/log', {
    title: page.t('analyses.log.title', { name: analysis.displayName ?? analysis.name }),
    analysis,
    tab: 'log',
    sources: [
      { text: page.t('analyses.log.hub'), of: '' },
      ...(assignments?.data ?? []).map(({ nodeId, node }) => ({
        text: node?.name ?? nodeId.slice(0, 8),
        of: nodeId,
      })),
    ].map((one) => ({
      ...one,
      href: page.url(addressWith(`/analyses/${id}/log`, { of: one.of })),
      isCurrent: one.of === of,
    })),
    isHidden: lines === undefined,
    lines: lines?.data.toReversed() ?? [],
    stream: page.url(addressWith(`/analyses/${id}/log/stream`, { of })),
    command:
      of === ''
        ? `hubctl analysis logs ${id} --follow`
        : `hubctl analysis logs ${id} --follow --node ${of}`,
  })
}

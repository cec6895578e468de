import { addressWith } from '#console/lists'
import type { Listing } from '#console/hub_client'
import type { Page, View } from '#console/page'
import { readAnalysis, readAssignments } from './analysis_page.js'
import { logPath, logSourceOf, type LogLine } from './log_source.js'
import { nodeNameOf } from './records.js'

const LINES = 50

/** Shows the newest lines of a log. The script of the page appends new ones. */
export async function showLog(page: Page): Promise<View> {
  const id = page.uuid('id')
  const source = logSourceOf(page.query)
  const [analysis, lines, assignments] = await Promise.all([
    readAnalysis(page, id),
    page.hub.optional(page.hub.read<Listing<LogLine>>('core', logPath(id, source, LINES))),
    readAssignments(page, id),
  ])
  const of = source.nodeId ?? ''
  return page.view('analyses/log', {
    title: page.t('analyses.log.title', { name: analysis.displayName ?? analysis.name }),
    analysis,
    tab: 'log',
    sources: [
      { text: page.t('analyses.log.hub'), of: '' },
      ...assignments.map((one) => ({ text: nodeNameOf(one), of: one.nodeId })),
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
